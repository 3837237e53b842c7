// The `standpipe/…` methods, which control a host. A host in another process answers them on its socket, a host in this process by
// `answerControl`.

import { UsageError } from '../../base/errors.ts';
import type { ConfigProblem } from '../../config/problem.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { Params } from '../../mcp/service.ts';
import type { FleetAddress, FleetStatus } from '../fleet/fleet-status.ts';
import type { Host } from '../host.ts';
import type { ServerStatus } from '../supervision/server-state.ts';
import { CONTROL_VERSION } from './connect-host.ts';
import type { ServerShare } from './shared-servers.ts';

/** A tolerated protocol violation of the server's last process. */
export interface ServerWarning {
  server: string;
  topic: string;
  message: string;
}

export interface HostStatus {
  controlVersion: number;
  version: string;
  pid: number;
  /** Sequence number of the last event in the host's flow. */
  lastSeq: number;
  servers: ServerStatus[];
  /** Why servers of the fleet are missing from `servers`; undefined once the host has joined. */
  notJoined?: string | undefined;
  warnings: ServerWarning[];
}

export interface ControlResults {
  'standpipe/status': HostStatus;
  /** `rejected` holds one problem for each entry that cannot be run. */
  'standpipe/config': { rejected: ConfigProblem[]; problems: ConfigProblem[] };
  'standpipe/start': { server: ServerStatus };
  'standpipe/stop': { server: ServerStatus };
  'standpipe/restart': { server: ServerStatus };
  /** stderr of a server after an event: the last 64 KB. Waits 100 ms for output that is still in the pipe. */
  'standpipe/logs': { text: string; lastSeq: number };
  /** Stops the servers and ends the process. The answer is sent when the stop begins. */
  'standpipe/down': { pid: number };
  'standpipe/fleet': FleetStatus;
  /** Address of the fleet, for programs that change it. Requests from other nodes are refused. */
  'standpipe/fleet-address': FleetAddress;
}

export type ControlMethod = keyof ControlResults;

export interface FleetControl {
  /** Why the host has not joined a fleet yet; undefined once it has joined. */
  whyNotJoined(): string | undefined;
  status(): Promise<FleetStatus>;
  address(): FleetAddress;
  /** Sends the request to the host of another node. */
  forward(node: string, method: ControlMethod, params: Params): Promise<ControlResults[ControlMethod]>;
}

export interface ControlHooks {
  /** The fleet of the host; undefined if the host has not joined one. */
  fleet?: FleetControl | undefined;
  /** Ends the process of the host. */
  onDown?: (() => void) | undefined;
  /** Adds or finds a server that a client described. Absent if the servers come from a config. */
  shareServer?: ((brought: unknown) => ServerShare) | undefined;
}

type Answer<M extends ControlMethod> = (
  host: Host,
  params: Params,
  hooks: ControlHooks,
) => ControlResults[M] | Promise<ControlResults[M]>;

const methods: { [M in ControlMethod]: Answer<M> } = {
  'standpipe/status': (host, _params, { fleet }) => ({
    controlVersion: CONTROL_VERSION,
    version: ownInfo.version,
    pid: process.pid,
    lastSeq: host.flow.lastSeq,
    servers: host.status(),
    notJoined: fleet?.whyNotJoined(),
    warnings: host.names.flatMap((server) =>
      host.warnings(server).map(({ topic, message }) => ({ server, topic, message })),
    ),
  }),
  'standpipe/config': (host) => ({ rejected: host.rejected(), problems: [...(host.config?.problems ?? [])] }),
  'standpipe/start': (host, params) => statusAfter(host, params, (name) => host.startServer(name)),
  'standpipe/stop': (host, params) => statusAfter(host, params, (name) => host.stopServer(name)),
  'standpipe/restart': (host, params) => statusAfter(host, params, (name) => host.restartServer(name)),
  'standpipe/logs': async (host, params) => {
    const text = await host.stderrSince(serverOf(params), Number(params.since ?? 0));
    return { text, lastSeq: host.flow.lastSeq };
  },
  'standpipe/down': (_host, _params, { onDown }) => {
    if (!onDown) throw new UsageError('NOT_SUPPORTED', 'This host is stopped by the program that runs it');
    setImmediate(onDown); // the process ends after the answer is sent
    return { pid: process.pid };
  },
  'standpipe/fleet': (_host, _params, hooks) => fleetOf(hooks).status(),
  'standpipe/fleet-address': (_host, _params, hooks) => fleetOf(hooks).address(),
};

export function isControlMethod(method: string): method is ControlMethod {
  return Object.hasOwn(methods, method);
}

/** If the parameters contain `node`, the host of that node answers. */
export function answerControl<M extends ControlMethod>(
  host: Host,
  method: M,
  params: Params,
  hooks: ControlHooks = {},
): ControlResults[M] | Promise<ControlResults[M]> {
  const { node, ...others } = params;
  if (node === undefined) return methods[method](host, params, hooks);
  return fleetOf(hooks).forward(String(node), method, others) as Promise<ControlResults[M]>;
}

function fleetOf({ fleet }: ControlHooks): FleetControl {
  if (fleet) return fleet;
  throw new UsageError('NOT_SUPPORTED', 'This host has not joined a fleet', {
    hint: 'Start it with --join nats://HOST, or give --join to this command.',
  });
}

function serverOf({ server }: Params): string {
  if (typeof server === 'string') return server;
  throw new UsageError('INVALID_OPTION', 'The name of a server is missing: {"server": "…"}');
}

async function statusAfter(host: Host, params: Params, run: (server: string) => Promise<void>) {
  const name = serverOf(params);
  await run(name);
  return { server: host.status().find((status) => status.name === name)! };
}
