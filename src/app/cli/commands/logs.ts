// `standpipe logs`: prints stderr, stray output and state changes of the servers of the running host.

import { systemClock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { pause, unlessAborted } from '../../../base/wait.ts';
import { logEntries } from '../../../observe/analysis/log-entries.ts';
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
import { type LogWindow, WindowedLines } from '../output/windowed-lines.ts';
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
