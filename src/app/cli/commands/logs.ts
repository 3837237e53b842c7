// `standpipe logs`: prints stderr, stray output and state changes of the servers of the running host.

import { systemClock } from '../../../base/clock.ts';
import { decodeText } from '../../../base/decode-text.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { pause, unlessAborted } from '../../../base/wait.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { describeFrame } from '../../../observe/analysis/describe-frame.ts';
import { eventText } from '../../../observe/analysis/event-text.ts';
import { isHttpFailure } from '../../../observe/analysis/http-failure.ts';
import { type ClientFact, type FlowEvent, isOfClient } from '../../../observe/flow/event.ts';
import { connectLive } from '../../../observe/live/find-live.ts';
import { readRecording } from '../../../observe/record/reader.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import {
  type FleetAccess,
  fleetOfServer,
  instancesNamed,
  type NamedInstance,
  withFleet,
} from '../fleet/reach-fleet.ts';
import { type CommandBody, type CommandModule, durationOf, type Invocation, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { findServer } from '../servers/find-server.ts';
import { findLiveHost } from '../servers/host-elsewhere.ts';
import { noHost, withRunningHost } from '../servers/reach-host.ts';
import { type HostLogLine, readHostLog } from '../up/host-log.ts';
import { countOf, help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[server]', 'show only this server; <server>@<node> in a fleet')
    .option('-f, --follow', 'print new lines until the host ends or Ctrl-C')
    .option('-n, --tail <number>', 'show only the last <number> lines', countOf('--tail'))
    .option('--since <time>', 'show only lines newer than this: 30s, 10m, 2h', durationOf('--since'));
  addFleetOptions(command);
  help(
    command,
    `Shows stderr, stray output, starts, exits and state changes that the host has
in memory. For a server of a fleet, shows stderr of its processes on all nodes.
With --json, prints one document per line. After a background host has ended,
shows its log file.`,
    'logs',
    'logs weather --follow --tail 20',
    'logs --since 10m',
    'logs --json | jq .',
    'logs files@one',
  );
  command.action(run(logs));
};

const logs: CommandBody = async (invocation, [given], options) => {
  const isFollowed = options.follow === true;
  const window = options as LogWindow;
  const { out, settings, signal } = invocation;
  if (options.join !== undefined) {
    if (given === undefined) throw noServer();
    return withFleet(invocation, options, (fleet) => ofFleet(fleet, given, { isFollowed, ...window }, invocation));
  }
  return withRunningHost(
    invocation,
    async (host) => {
      if (given !== undefined) {
        const found = await fleetOfServer(host, given, settings);
        if (found) return ofFleet(found.fleet, found.name, { isFollowed, ...window }, invocation);
        await findServer(given, { host, running: true, only: undefined }, settings);
      }
      const live = await findLiveHost(settings, () => undefined);
      if (!live) throw noFlow();
      const { lastSeq } = await host.status();
      const socket = await connectLive(live);
      try {
        await unlessAborted(print(socket, { server: given, lastSeq, isFollowed, window }, out), signal);
      } finally {
        socket.destroy();
      }
      return undefined;
    },
    () => ofEndedHost(invocation, given, window),
  );
};

/** Prints the log file of a background host, which remains after the host has ended. */
async function ofEndedHost({ settings, out }: Invocation, server: string | undefined, window: LogWindow) {
  const log = readHostLog(settings);
  if (!log) throw noHost();
  out.say(`No host is running. Showing the log of the last background host, ${visibleLine(log.file)}`);
  const shown = new WindowedLines<HostLogLine>(window, Date.now(), ({ line, text, atMs }) => {
    if (out.json) out.documentLine({ at: new Date(atMs).toISOString(), kind: 'log', text });
    else out.write(`${visibleLine(line)}\n`);
  });
  for (const line of log.lines) if (server === undefined || line.text.startsWith(`${server} `)) shown.add(line);
  shown.storedEnd();
  return undefined;
}

async function ofFleet(
  fleet: FleetAccess,
  name: string,
  { isFollowed, tail, since }: LogWindow & { isFollowed: boolean },
  invocation: Invocation,
) {
  if (since !== undefined) {
    throw invalidOption(
      '--since cannot be used for a server of a fleet',
      'Nodes send stderr without timestamps. Use --tail instead.',
    );
  }
  await unlessAborted(printFleetLogs(fleet, name, { isFollowed, tail }, invocation), invocation.signal);
  return undefined;
}

function noServer(): UsageError {
  return invalidOption(
    'No server was given',
    `With --join, name one: ${ownCommand} logs <server>[@<node>] --join nats://HOST.`,
  );
}

interface Wanted {
  server: string | undefined;
  lastSeq: number;
  isFollowed: boolean;
  window: LogWindow;
}

interface ShownEntry {
  atMs: number;
  server: string;
  life: number;
  kind: string;
  text: string;
}

async function print(flow: AsyncIterable<Uint8Array>, wanted: Wanted, out: Output): Promise<void> {
  const { server, lastSeq, isFollowed, window } = wanted;
  const shown = new WindowedLines<ShownEntry>(window, Date.now(), ({ atMs, ...entry }) => {
    const at = new Date(atMs).toISOString();
    if (out.json) out.documentLine({ at, ...entry });
    else out.write(`${at} ${visibleLine(entry.server)} ${entry.kind}: ${visibleLine(entry.text)}\n`);
  });
  if (lastSeq === 0) shown.storedEnd();
  if (lastSeq === 0 && !isFollowed) return;
  for await (const item of readRecording(flow)) {
    if (item.type !== 'event') continue;
    const { event, run } = item;
    const atMs = (run.startedAt?.getTime() ?? 0) + event.atMs;
    for (const { kind, text } of server === undefined || event.server === server ? logEntries(event) : []) {
      shown.add({ atMs, server: event.server, life: event.life, kind, text });
    }
    if (event.seq < lastSeq) continue;
    shown.storedEnd();
    if (!isFollowed) return;
  }
}

/** The error for a host that accepts commands but could not announce its event stream. */
function noFlow(): UsageError {
  const { message, hint } = noHost();
  return new UsageError('NOT_STARTED', `${message} that other programs can watch`, { hint });
}

const LOOK_MS = 500;

/** Prints the stderr that the hosts of the nodes have in memory, and polls it with --follow. The nodes remove secrets. */
async function printFleetLogs(
  fleet: FleetAccess,
  name: string,
  { isFollowed, tail }: { isFollowed: boolean; tail: number | undefined },
  { out, signal }: Invocation,
): Promise<void> {
  const since = new Map<string, number>();
  const print = async ({ node, server }: NamedInstance) => {
    const key = `${node}/${server}`;
    const { text, lastSeq } = await fleet.control(node, 'standpipe/logs', { server, since: since.get(key) ?? 0 });
    const isFirst = !since.has(key);
    since.set(key, lastSeq);
    const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
    for (const line of isFirst && tail !== undefined ? lines.slice(-tail) : lines) {
      if (out.json) out.documentLine({ node, server, kind: 'stderr', text: line });
      else out.write(`${visibleLine(node)} ${visibleLine(server)} stderr: ${visibleLine(line)}\n`);
    }
  };
  for (;;) {
    for (const each of instancesNamed(name, await fleet.status())) await print(each);
    if (!isFollowed) return;
    await pause(systemClock, LOOK_MS, signal); // the server may have moved in the meantime
  }
}

interface LogEntry {
  kind: 'stderr' | 'stdout' | 'state' | 'process' | 'error' | 'note' | 'client' | 'remote' | 'http';
  text: string;
}

/** Messages are left out. The host has already removed secrets. */
function logEntries(event: FlowEvent): LogEntry[] {
  switch (event.kind) {
    case 'stderr':
      return linesOf('stderr', decodeText(event.payload));
    case 'frame': {
      const noise = event.direction === 'fromServer' ? describeFrame(event).noise : undefined;
      return noise === undefined ? [] : linesOf(event.http ? 'http' : 'stdout', noise);
    }
    case 'spawn':
    case 'exit':
      return [{ kind: 'process', text: eventText(event) }];
    case 'fault': {
      const what = isOfClient(event) ? 'a message' : 'stdout';
      return [{ kind: 'error', text: `${eventText(event)} of ${what}` }];
    }
    case 'client':
      return isWorthALine(event) ? [{ kind: 'client', text: eventText(event) }] : [];
    case 'remote':
      // State changes of the server already show when it connects and closes.
      return event.state === 'known' || event.reason ? [{ kind: 'remote', text: eventText(event) }] : [];
    case 'http':
      return isHttpFailure(event) ? [{ kind: 'http', text: eventText(event) }] : [];
    case 'state':
    case 'error':
    case 'note':
      return [{ kind: event.kind, text: eventText(event) }];
    default:
      return [];
  }
}

/** A client is logged with its first request, which has its name. Commands of Standpipe, which connect often, are left out. */
function isWorthALine({ name }: ClientFact): boolean {
  return name !== undefined && name !== ownInfo.name;
}

function linesOf(kind: LogEntry['kind'], text: string): LogEntry[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => ({ kind, text: line }));
}

interface LogWindow {
  /** Show at most this many stored lines, the newest ones. */
  tail?: number | undefined;
  /** Maximum age of shown lines in ms. */
  since?: number | undefined;
}

/** Selects lines. Stored lines are held back until all of them are known; later lines are printed immediately. */
class WindowedLines<T extends { atMs: number }> {
  readonly #tail: number;
  readonly #fromMs: number;
  readonly #print: (line: T) => void;
  #held: T[] = [];
  #isStored = true;

  constructor({ tail, since }: LogWindow, nowMs: number, print: (line: T) => void) {
    this.#tail = tail ?? Number.POSITIVE_INFINITY;
    this.#fromMs = since === undefined ? Number.NEGATIVE_INFINITY : nowMs - since;
    this.#print = print;
  }

  add(line: T): void {
    if (line.atMs < this.#fromMs) return;
    if (!this.#isStored || this.#tail === Number.POSITIVE_INFINITY) return this.#print(line);
    this.#held.push(line);
    if (this.#held.length > 2 * this.#tail) this.#held = this.#held.slice(-this.#tail);
  }

  storedEnd(): void {
    if (!this.#isStored) return;
    this.#isStored = false;
    for (const line of this.#held.slice(-this.#tail)) this.#print(line);
    this.#held = [];
  }
}
