// Finds the fleet of a command: directly by --join or STANDPIPE_JOIN, or through the running host if it is a node.

import type { StandpipeError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { ControlMethod, ControlResults } from '../../../host/control/control-methods.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { Params } from '../../../mcp/service.ts';
import type { Invocation } from '../invocation.ts';
import { findServer } from '../servers/find-server.ts';
import { findRunningHost } from '../servers/running-host.ts';
import type { Settings } from '../settings.ts';
import { type FleetOptions, hasAddresses, missingJoin, readFleetOptions } from './fleet-options.ts';
import type { StateOnNode } from './fleet-tables.ts';

export interface FleetAccess {
  status(): Promise<FleetStatus>;
  /** Of the host of a node. */
  control<M extends ControlMethod>(node: string, method: M, params?: Params): Promise<ControlResults[M]>;
  close(): Promise<void>;
}

export async function withFleet<T>(
  invocation: Invocation,
  options: FleetOptions,
  work: (fleet: FleetAccess) => Promise<T>,
): Promise<T> {
  const fleet = await reachFleet(invocation, options);
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}

async function reachFleet({ settings, out }: Invocation, options: FleetOptions): Promise<FleetAccess> {
  if (!hasAddresses(options)) {
    const host = await findRunningHost(settings, (text) => out.say(text));
    if (host) return fleetOfHost(host);
  }
  const named = readFleetOptions(options, 'standpipe');
  if (!named) throw missingJoin();
  const [{ openNetwork }, { readFleetStatus }, { controlNode }] = await Promise.all([
    import('../../../host/fleet/nats/open-network.ts'),
    import('../../../host/fleet/read-status.ts'),
    import('../../../host/fleet/node/control-node.ts'),
  ]);
  const { timeoutMs } = settings;
  const network = await openNetwork({ ...named, timeoutMs });
  return {
    status: () => readFleetStatus(network),
    control: (node, method, params = {}) => controlNode(network, node, method, params, timeoutMs),
    close: () => network.close(),
  };
}

/** The fleet of a running host and the server name in it, if other nodes run the server or the host runs a replica of it. */
export async function fleetOfServer(
  host: RemoteHost,
  given: string,
  settings: Settings,
): Promise<{ fleet: FleetAccess; name: string } | undefined> {
  const { servers } = await host.status();
  if (!servers.some(isOfFleet)) return undefined;
  const isListed = servers.some(({ name }) => name === given);
  const { name } =
    isListed || !given.includes('@')
      ? await findServer(given, { host, running: true, only: undefined }, settings)
      : { name: given };
  const found = servers.find((server) => server.name === name);
  return found && !isOfFleet(found) ? undefined : { fleet: fleetOfHost(host), name };
}

function isOfFleet({ url }: ServerStatus): boolean {
  return url?.startsWith('nats:') ?? false;
}

function fleetOfHost(host: RemoteHost): FleetAccess {
  return {
    status: () => host.control('standpipe/fleet'),
    control: (node, method, params) => host.control(method, { ...params, node }),
    close: () => host.close(),
  };
}

/** States of the servers, read from each node. Reports each node that does not answer. */
export async function statesOnNodes(
  fleet: FleetAccess,
  { nodes, servers, self, isConnected }: FleetStatus,
  out: Invocation['out'],
): Promise<StateOnNode> {
  const used = new Set(
    servers.flatMap(({ replicas }) => replicas.filter((each) => each.isInForce).map(({ node }) => node)),
  );
  const states = new Map<string, ServerStatus>();
  const ask = async (node: string) => {
    const { servers } = await fleet.control(node, 'standpipe/status');
    for (const server of servers) states.set(`${node} ${server.name}`, server);
  };
  // Without NATS, the reporting node knows only its own servers.
  const asked = nodes.filter(({ name, isAlive }) => isAlive && used.has(name) && (isConnected || name === self));
  await Promise.all(
    asked.map(({ name }) =>
      ask(name).catch((error: StandpipeError) => {
        out.say(`Cannot read the server states of node ${visibleLine(name)}: ${visibleLine(error.message)}`);
      }),
    ),
  );
  return (node, server) => states.get(`${node} ${server}`);
}
