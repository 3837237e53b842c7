// The fleet of a command: directly by --join or STANDPIPE_JOIN, or through the running host, which is a node of it.

import type { StandpipeError } from '../../base/errors.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import type { FleetStatus } from '../../fleet/fleet-status.ts';
import type { ControlMethod, ControlResults } from '../../host/control/control-methods.ts';
import type { RemoteHost } from '../../host/control/remote-host.ts';
import type { ServerState } from '../../host/supervision/server-state.ts';
import type { Params } from '../../mcp/service.ts';
import type { Invocation } from '../invocation.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { type FleetOptions, hasAddresses, missingJoin, readFleetOptions } from './fleet-options.ts';

export interface FleetAccess {
  status(): Promise<FleetStatus>;
  /** Of the host of a node. */
  control<M extends ControlMethod>(node: string, method: M, params?: Params): Promise<ControlResults[M]>;
  close(): Promise<void>;
}

/** How long another node may take for its answer. */
const CONTROL_MS = 60_000;

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
  const [{ openFabric }, { readFleetStatus }, { askNode }] = await Promise.all([
    import('../../fleet/nats/open-fabric.ts'),
    import('../../fleet/read-status.ts'),
    import('../../fleet/node/answer-node-requests.ts'),
  ]);
  const fabric = await openFabric(named);
  return {
    status: () => readFleetStatus(fabric),
    control: async <M extends ControlMethod>(node: string, method: M, params: Params = {}) =>
      (await askNode(fabric, node, 'standpipe/control', { method, params }, CONTROL_MS)) as ControlResults[M],
    close: () => fabric.close(),
  };
}

/** The fleet of a running host, if other nodes run the server, or it is a replica that the host runs. */
export async function fleetOfServer(host: RemoteHost, name: string): Promise<FleetAccess | undefined> {
  const { servers } = await host.status();
  const isNode = servers.some(({ url }) => url?.startsWith('nats:'));
  const found = servers.find((server) => server.name === name);
  const isOfFleet = found ? found.url?.startsWith('nats:') : isNode && name.includes('@');
  return isOfFleet ? fleetOfHost(host) : undefined;
}

function fleetOfHost(host: RemoteHost): FleetAccess {
  return {
    status: () => host.control('standpipe/fleet'),
    control: (node, method, params) => host.control(method, { ...params, node }),
    close: () => host.close(),
  };
}

/** The states of what the nodes run, as each of them says. A node that does not answer is named. */
export async function statesOnNodes(
  fleet: FleetAccess,
  { nodes, servers }: FleetStatus,
  out: Invocation['out'],
): Promise<(node: string, server: string) => ServerState | undefined> {
  const used = new Set(
    servers.flatMap(({ replicas }) => replicas.filter((each) => each.isInForce).map(({ node }) => node)),
  );
  const states = new Map<string, ServerState>();
  const ask = async (node: string) => {
    const { servers } = await fleet.control(node, 'standpipe/status');
    for (const { name, state } of servers) states.set(`${node} ${name}`, state);
  };
  const alive = nodes.filter(({ name, isAlive }) => isAlive && used.has(name));
  await Promise.all(
    alive.map(({ name }) =>
      ask(name).catch((error: StandpipeError) => {
        out.say(`Node ${visibleLine(name)} does not say how its servers are: ${visibleLine(error.message)}`);
      }),
    ),
  );
  return (node, server) => states.get(`${node} ${server}`);
}
