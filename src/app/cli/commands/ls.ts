// `standpipe ls`: shows the servers and their state without starting any.

import { isAbsolute } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { Colour } from '../../../base/terminal/colours.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { unlessAborted } from '../../../base/wait.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { ProcessStatus, ServerState, ServerStatus } from '../../../host/supervision/server-state.ts';
import { addAddressesOfFleet, isOfFleet } from '../fleet/fleet-options.ts';
import type { CommandBody, CommandModule, Invocation, Settings } from '../invocation.ts';
import { printRows, type Row, shownPath, shownReason } from '../output/table.ts';
import { tellRejected } from '../servers/find-server.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.option('--fleet [name]', 'list the nodes of a fleet and their servers');
  addAddressesOfFleet(command);
  examples(
    command,
    'ls',
    'ls --json',
    'ls --config other/mcp.json',
    'ls --fleet',
    'ls --fleet --join nats://127.0.0.1',
  );
  command.action(run(ls));
};

export const stateColours: Record<ServerState, Colour | undefined> = {
  ready: 'green',
  starting: 'cyan',
  stopping: 'cyan',
  backoff: 'yellow',
  unreachable: 'yellow',
  failed: 'red',
  stopped: 'dim',
  disabled: 'dim',
};

/** State of a config entry with errors. The host does not know such an entry. */
const REJECTED = 'rejected';

type Listed = Omit<ListedServer, 'state'> & { state: ServerState | typeof REJECTED };

/**
 * The state shown for a fleet server to which this host has no connection. In JSON the state is `stopped`, the state of the connection.
 */
const NOT_USED = 'unused';

const ls: CommandBody = async (invocation, _words, options) => {
  const { settings, out, signal } = invocation;
  if (options.fleet !== undefined || options.join !== undefined) return listFleet(invocation, options);
  const running = await findRunningHost(settings, (text) => out.say(text));
  const listing = running ? ofHost(running).finally(() => running.close()) : fromConfig(settings);
  const { servers, rejected } = await unlessAborted(listing, signal);
  tellRejected(rejected, out);
  if (out.json) {
    out.document({ running: running !== undefined, servers });
    return undefined;
  }
  const files = servers.map(({ source }) => source.file).filter((file) => isAbsolute(file));
  const severalFiles = new Set(files).size > 1;
  const from = (text: string) => (severalFiles ? [text] : []);
  printRows(
    out,
    [
      'SERVER',
      'STATE',
      'UPTIME',
      'CALLS',
      'ERRORS',
      'RESTARTS',
      'PID, URL OR NODE',
      'SPEAKS',
      ...from('FROM'),
      'LAST ERROR',
    ],
    servers.flatMap((server) => [
      [
        ...figures(server.name, server),
        `${server.protocol}${server.revision ? ` ${server.revision}` : ''}`,
        ...from(sourceOf(server, out)),
        { text: shownReason(server.lastError ?? '', out), colour: 'yellow' },
      ],
      ...ownProcesses(server).map((process) => [
        ...figures(`${server.name}: ${process.owner}`, process),
        '',
        ...from(''),
        '',
      ]),
    ]),
    { below: 'LAST ERROR' },
  );
  for (const server of servers) {
    sayShare(server, out);
    sayQuestions(server, out);
  }
  if (servers.length === 0) out.say(`The config has no servers. Add one: ${ownCommand} add <name> -- <command …>`);
  else if (!running)
    out.say(
      `No host is running. \`${ownCommand} up\` starts the servers; \`call\` and \`tools\` start those they need.`,
    );
  return undefined;
};

/** A server of a fleet has no file. */
function sourceOf({ source: { file, line } }: Listed, out: Invocation['out']): string {
  return isAbsolute(file) ? `${shownPath(file, out)}:${line}` : file;
}

function sayShare({ name, share, waiting, url }: Listed, out: Invocation['out']): void {
  if (share === 'all') return;
  const more = waiting === 0 ? '' : `; ${counted(waiting, 'request')} pending: "maxProcesses" is reached`;
  out.say(`${visibleLine(name)} has a ${url === undefined ? 'process' : 'connection'} for each ${share}${more}.`);
}

/** Processes of a server, unless all clients share one process. */
export function ownProcesses({ share, processes }: Pick<ServerStatus, 'share' | 'processes'>): ProcessStatus[] {
  return share === 'all' ? [] : processes;
}

function sayQuestions({ name, questions }: Listed, out: Invocation['out']): void {
  const { alone, refused, unannounced } = questions;
  if (unannounced) {
    const what = `${name} started before a client that supports ${unannounced.join(', ')} connected, and does not use it`;
    out.say(visibleLine(`${what}; to enable it, restart the server: ${ownCommand} restart ${shellWord(name)}`));
  }
  if (alone.length > 0) out.say(visibleLine(`${name} runs for one client at a time: ${alone.join(', ')}`));
  if (refused > 0) out.say(`${name}: ${refused} ${refused === 1 ? 'question was' : 'questions were'} refused`);
}

function figures(
  name: string,
  {
    state,
    uptimeMs,
    calls,
    errors,
    restarts,
    pid,
    url,
    runsOn,
  }: Pick<Listed, 'state' | 'uptimeMs' | 'calls' | 'errors' | 'restarts' | 'pid'> &
    Partial<Pick<Listed, 'url' | 'runsOn'>>,
): Row {
  return [
    name,
    state === REJECTED
      ? { text: state, colour: 'red' }
      : { text: state === 'stopped' && isOfFleet({ url }) ? NOT_USED : state, colour: stateColours[state] },
    state === 'ready' ? describeUptime(uptimeMs) : '-',
    String(calls),
    String(errors),
    String(restarts),
    runsOn ? nodesText(runsOn) : String(url ?? pid ?? '-'),
  ];
}

export function describeUptime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  const hours = Math.floor(seconds / 3600);
  return hours < 24 ? `${hours}h ${Math.floor((seconds % 3600) / 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

async function listFleet(invocation: Invocation, { fleet, ...options }: Record<string, unknown>): Promise<undefined> {
  const [{ statesOnNodes, withFleet }, { fleetDocument, printFleet }] = await Promise.all([
    import('../fleet/reach-fleet.ts'),
    import('../fleet/fleet-tables.ts'),
  ]);
  const { out, signal } = invocation;
  const named = { ...options, ...(typeof fleet === 'string' && { fleet }) };
  const listing = withFleet(invocation, named, async (access) => {
    const status = await access.status();
    const stateOf = await statesOnNodes(access, status, out);
    if (out.json) out.document(fleetDocument(status, stateOf));
    else printFleet(status, stateOf, out);
  });
  await unlessAborted(listing, signal);
  return undefined;
}

interface Listing {
  servers: Listed[];
  rejected: ConfigProblem[];
}

async function ofHost(host: HostAccess): Promise<Listing> {
  const [{ servers }, { rejected }] = await Promise.all([host.status(), host.control('standpipe/config')]);
  return { servers: [...(await withNodes(host, servers)), ...rejected.flatMap(listedEntry)], rejected };
}

async function fromConfig(settings: Settings): Promise<Listing> {
  const [{ Host }, { loadServers }, { rejections }] = await Promise.all([
    import('../../../host/host.ts'),
    import('../servers/own-host.ts'),
    import('../../../host/services/unknown-name.ts'),
  ]);
  const config = await loadServers(settings);
  const rejected = rejections(config);
  return { servers: [...new Host(config.servers).status(), ...rejected.flatMap(listedEntry)], rejected };
}

/** The row of a rejected entry. A problem of a whole file has no row. */
function listedEntry({ server, file, line, column, message }: ConfigProblem): Listed[] {
  if (server === undefined) return [];
  const entry: Listed = {
    name: server,
    source: { file, line, column },
    state: REJECTED,
    reason: 'its config entry has errors',
    protocol: 'mcp',
    share: 'all',
    questions: { attribution: 'pending calls', alone: [], refused: 0 },
    processes: [],
    waiting: 0,
    url: undefined,
    pid: null,
    uptimeMs: 0,
    restarts: 0,
    calls: 0,
    errors: 0,
    revision: undefined,
    serverInfo: undefined,
    lastExit: undefined,
    lastError: visibleLine(message),
  };
  return [entry];
}

/** `slot` and `generation` are absent for a server of the node's own config. */
interface RunsOn {
  node: string;
  slot?: number;
  generation?: number;
}

type ListedServer = ServerStatus & { runsOn?: RunsOn[] };

const MOST_SHOWN = 3;

/** Queries the fleet only if the host has servers of a fleet. */
async function withNodes(host: HostAccess, servers: readonly ServerStatus[]): Promise<ListedServer[]> {
  if (!servers.some(isOfFleet)) return [...servers];
  const fleet = await host.control('standpipe/fleet').catch(() => undefined);
  if (!fleet) return [...servers]; // the table then shows the addresses of the servers
  const placed = new Map(fleet.servers.map((server) => [server.name, server.replicas]));
  return servers.map((server) => {
    if (!isOfFleet(server)) return server;
    const replicas = placed.get(server.name)?.filter(({ isInForce }) => isInForce);
    const runsOn = replicas?.map(({ node, slot, generation }) => ({ node, slot, generation }));
    return { ...server, runsOn: runsOn ?? ownerOf(server.name, fleet) };
  });
}

/** Describes where a server runs, for example as `two (generation 3)`. */
function nodesText(runsOn: readonly RunsOn[]): string {
  if (runsOn.length === 0) return 'no node';
  const shown = runsOn.slice(0, MOST_SHOWN).map(({ node, generation }) => {
    return generation === undefined ? node : `${node} (generation ${generation})`;
  });
  const more = runsOn.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function ownerOf(name: string, { nodes }: FleetStatus): RunsOn[] {
  const node = name.slice(name.lastIndexOf('@') + 1);
  return nodes.some((each) => each.name === node && each.isAlive) ? [{ node }] : [];
}
