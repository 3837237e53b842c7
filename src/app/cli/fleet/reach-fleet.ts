// Finds the fleet of a command: directly by --join or STANDPIPE_JOIN, or through the running host if it is a node.

import { PeerError, type StandpipeError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { unlessAborted } from '../../../base/wait.ts';
import type { ControlMethod, ControlResults } from '../../../host/control/control-methods.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import type { ClusterNetwork } from '../../../host/fleet/cluster-network.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import { unknownServer } from '../../../host/services/unknown-name.ts';
import { SHOW_FLEET } from '../../../host/supervision/server-errors.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { Params } from '../../../mcp/service.ts';
import type { Invocation, Settings } from '../invocation.ts';
import { findServer } from '../servers/find-server.ts';
import type { Reached } from '../servers/reach-host.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { type FleetOptions, hasAddresses, isOfFleet, missingJoin, readFleetOptions } from './fleet-options.ts';
import { type StateOnNode, whyNowhere } from './fleet-tables.ts';

/** Name of the command-line client in the NATS monitoring. */
const NAME = 'standpipe';

export interface FleetAccess {
  status(): Promise<FleetStatus>;
  /** Sends a control request to the host of a node. */
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
  const named = readFleetOptions(options, NAME);
  if (!named) throw missingJoin();
  const [{ openNetwork }, { readFleetStatus }, { controlNode }] = await Promise.all([
    import('../../../host/fleet/nats/open-network.ts'),
    import('../../../host/fleet/read-status.ts'),
    import('../../../host/fleet/node/answer-node-requests.ts'),
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

/** The NATS connection comes from the options, the environment, or the running host. */
export async function withNetwork<T>(
  invocation: Invocation,
  options: FleetOptions,
  work: (network: ClusterNetwork) => Promise<T>,
): Promise<T> {
  const reached = readFleetOptions(options, NAME) ?? (await ofRunningHost(invocation));
  if (!reached) throw missingJoin();
  const { openNetwork } = await import('../../../host/fleet/nats/open-network.ts');
  const network = await openNetwork({ ...reached, timeoutMs: invocation.settings.timeoutMs });
  try {
    return await work(network);
  } finally {
    await network.close();
  }
}

async function ofRunningHost({ settings, out }: Invocation): Promise<ClusterNetworkOptions | undefined> {
  const host = await findRunningHost(settings, (text) => out.say(text));
  if (!host) return undefined;
  try {
    return { ...(await host.control('standpipe/fleet-address')), name: NAME };
  } finally {
    await host.close();
  }
}

/** Uses the servers of a fleet without a running host and without starting a server. */
export function visitFleet<T>(
  invocation: Invocation,
  options: FleetOptions,
  unanswered: Unanswered[],
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  return withNetwork(invocation, options, async (network) => {
    const [{ FleetClient }, { OwnHost }, { forOneCommand, ownHost }] = await Promise.all([
      import('../../../host/fleet/fleet-client.ts'),
      import('../../../host/control/host-access.ts'),
      import('../servers/own-host.ts'),
    ]);
    const { settings, signal } = invocation;
    const fleetClient = await FleetClient.open(network, settings.timeoutMs);
    const servers = fleetClient.servers.map((server) => forOneCommand(server, settings));
    const host = await ownHost(invocation, servers, unanswered, fleetClient);
    const reached = { host: new OwnHost(host), running: true, only: undefined, remember: () => undefined, unanswered };
    try {
      return await unlessAborted(work(reached), signal);
    } finally {
      await host.stop();
      await fleetClient.close();
    }
  });
}

export interface NamedInstance {
  node: string;
  server: string;
}

/**
 * Resolves a name on the command line: `files` to all replicas of a server, `files@one` to its replicas on the node `one`, or to the server of
 * that node's own config. Throws if the server does not run or is not in the fleet.
 */
export function instancesNamed(name: string, { servers, nodes, placer }: FleetStatus): NamedInstance[] {
  const at = name.lastIndexOf('@');
  const [base, node] = at < 1 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
  const whole = servers.find((each) => each.name === name);
  const server = whole ?? servers.find((each) => node !== undefined && each.name === base);
  const replicas = (server?.replicas ?? []).filter((each) => each.isInForce && (whole || each.node === node));
  const found = replicas.map((each) => ({ node: each.node, server: `${server!.name}#${each.slot}` }));
  const owner = nodes.find((each) => each.name === node && each.isAlive && each.offers.includes(base));
  if (owner) found.push({ node: owner.name, server: base });
  if (found.length > 0) return found;
  if (!server) {
    const own = nodes.flatMap((each) => each.offers.map((offer) => `${offer}@${each.name}`));
    throw unknownServer(name, [...servers.map((each) => each.name), ...own], []);
  }
  const isElsewhere = server !== whole && server.replicas.some((each) => each.isInForce);
  const why = isElsewhere ? `node "${node}" does not run it` : whyNowhere(server.replicas, placer);
  throw new PeerError('NOT_SENT', `No node answers for "${name}": ${why}`, { hint: SHOW_FLEET });
}
