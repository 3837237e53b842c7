// `standpipe show`: a recording, or the traffic of a running tap or host, as lines or in a full-screen view.

import { stat } from 'node:fs/promises';
import { UsageError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { unlessAborted } from '../../../base/wait.ts';
import { connectLive } from '../../../observe/live/find-live.ts';
import type { LiveDescriptor } from '../../../observe/live/runtime-folder.ts';
import { DamagedLines } from '../../../observe/record/damaged-lines.ts';
import { type RecordingItem, readRecording, readRecordings } from '../../../observe/record/reader.ts';
import { noServer, unknownServer } from '../../../observe/record/unusable-recording.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { type EntryFilter, entryTest, everyEntry, isTrouble } from '../../../observe/show/entry-filter.ts';
import { followRecording } from '../../../observe/show/follow-recording.ts';
import { Traffic } from '../../../observe/show/traffic.ts';
import { type CommandBody, type CommandModule, durationOf, type Invocation, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { WindowedLines } from '../output/windowed-lines.ts';
import { EntryLines } from '../show/entry-lines.ts';
import { type FoundTraffic, findTraffic } from '../show/find-traffic.ts';
import { countOf, help } from './server-options.ts';

const MOST_LAST = 100_000;
/** Number of items after which the command checks whether the reader of its output has closed the pipe. */
const ITEMS_PER_LOOK = 1_000;
const MOST_NAMES = 20;

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[what]', 'recording, tap, host or server of a host (default: the running tap or host)')
    .option('-f, --follow', 'print new lines until the tap or host ends, or you press Ctrl-C')
    .option('-n, --last <number>', 'only the last <number> lines', countOf('--last'))
    .option('--server <name>', 'only this server')
    .option('--client <name>', 'only this client, and requests on its behalf')
    .option('--method <name>', 'only requests and notifications with this method')
    .option('--tool <name>', 'only requests for this tool, prompt or resource')
    .option('--text <text>', 'only entries with this text, also in their messages')
    .option('--errors', 'only failures, stray output and broken messages')
    .option('--slower <time>', 'only requests that took at least this: 500ms, 2s', durationOf('--slower'))
    .option('--frames', 'show all messages with their bytes')
    .option('--tui', 'full-screen view');
  help(
    command,
    `Prints one line for each request, with its outcome and duration, and one for
each line of stderr, stray output and each start and exit. With --json, prints
one document per line. Keys of --tui: ? shows them.`,
    'show session.jsonl',
    'show session.jsonl --errors --frames',
    'show weather --follow --tool forecast --slower 1s',
    'show session.jsonl --json | jq .durationMs',
    'show session.jsonl --tui',
  );
  command.action(run(show));
};

interface Options {
  follow?: boolean;
  last?: number;
  server?: string;
  client?: string;
  method?: string;
  tool?: string;
  text?: string;
  errors?: boolean;
  slower?: number;
  frames?: boolean;
  tui?: boolean;
}

const show: CommandBody = async (invocation, [what], given) => {
  const options = given as Options;
  const { last = 0 } = options;
  if (last > MOST_LAST) throw invalidOption(`--last cannot be more than ${MOST_LAST}`);
  const found = await findTraffic(what, invocation.settings);
  const filter = filterOf(options, found);
  if (options.tui) return fullScreen(found, filter, options, invocation);
  await (found.live
    ? showLive(found.live, filter, options, invocation)
    : showFile(found.file, filter, options, invocation));
  return undefined;
};

async function fullScreen(
  found: FoundTraffic,
  filter: EntryFilter,
  options: Options,
  invocation: Invocation,
): Promise<undefined> {
  const { showFullScreen } = await import('../show/show-full-screen.ts');
  if (found.live) {
    await showFullScreen(found, filter, invocation);
    return undefined;
  }
  const { file } = found;
  const damaged = new DamagedLines(file);
  let events = 0;
  await showFullScreen(found, filter, invocation, {
    follow: options.follow === true,
    see: (item) => {
      damaged.see(item);
      if (item.type === 'event') events++;
    },
    check: async () => {
      if (events === 0) throw noServer(file, await damaged.describe());
    },
  });
  if (damaged.count > 0) invocation.out.tell('warning', visibleLine((await damaged.describe())!));
  return undefined;
}

function filterOf({ server, client, method, tool, text, errors, slower }: Options, found: FoundTraffic): EntryFilter {
  const given = { server: server ?? (found.live && found.server), client, method, target: tool, text };
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...everyEntry, ...named, errorsOnly: errors === true, slowerThanMs: slower ?? 0 };
}

async function showFile(
  file: string,
  filter: EntryFilter,
  options: Options,
  { out, signal }: Invocation,
): Promise<void> {
  const isFile = (await stat(file)).isFile();
  if (!isFile) throw new UsageError('RECORDING_UNUSABLE', `${file} is not a file`);
  const damaged = new DamagedLines(file);
  const names = new Set<string>();
  let events = 0;
  const printer = new Printer(file, filter, options, out);
  const onStored = () => printer.storedEnd();
  const items = options.follow ? readRecording(followRecording(file, { signal, onStored })) : readRecordings(file);
  for await (const item of items) {
    signal.throwIfAborted();
    damaged.see(item);
    if (item.type === 'event') events++;
    if (item.type === 'event' && names.size < MOST_NAMES) names.add(item.event.server);
    await printer.take(item);
  }
  printer.end();
  await out.drained();
  if (events === 0) throw noServer(file, await damaged.describe());
  if (filter.server !== '' && !printer.hasPrinted && !names.has(filter.server))
    throw unknownServer(file, filter.server, [...names]);
  if (damaged.count > 0) out.tell('warning', visibleLine((await damaged.describe())!));
}

async function showLive(
  live: LiveDescriptor,
  filter: EntryFilter,
  options: Options,
  { out, signal }: Invocation,
): Promise<void> {
  const printer = new Printer(live.name, filter, options, out);
  const socket = await connectLive(live);
  const print = async () => {
    let lastSeq = Number.POSITIVE_INFINITY;
    for await (const item of readRecording(socket)) {
      if (item.type === 'run') lastSeq = Number(item.run.about.lastSeq ?? lastSeq);
      await printer.take(item);
      const seq = item.type === 'event' ? item.event.seq : item.type === 'gap' ? item.toSeq : 0;
      if (seq < lastSeq) continue;
      printer.storedEnd();
      if (!options.follow) break;
    }
    printer.end();
  };
  try {
    await unlessAborted(print(), signal);
  } finally {
    socket.destroy();
  }
}

/** Prints the entries that the filter selects. */
class Printer {
  hasPrinted = false;
  readonly #out: Output;
  readonly #traffic: Traffic;
  readonly #window: WindowedLines<{ atMs: number; entry: Entry }>;
  #items = 0;

  constructor(title: string, filter: EntryFilter, { follow, frames, last }: Options, out: Output) {
    this.#out = out;
    const traffic = new Traffic({ title, ...(follow && { mostHeld: 0 }), onEntry: (entry) => this.#take(entry) });
    this.#traffic = traffic;
    const messagesOf = (entry: Entry) => traffic.messagesOf(entry);
    const lines = new EntryLines(out, {
      dateMs: (atMs) => traffic.dateMs(atMs),
      messagesOf: frames ? messagesOf : undefined,
    });
    this.#isWanted = entryTest(filter, messagesOf);
    this.#hasMessages = frames === true || filter.method.startsWith('notifications/');
    this.#window = new WindowedLines({ tail: last }, 0, ({ entry }) => {
      this.hasPrinted = true;
      lines.print(entry);
    });
  }

  readonly #isWanted: (entry: Entry) => boolean;
  /** Whether messages that belong to no request are shown. */
  readonly #hasMessages: boolean;

  #take(entry: Entry): void {
    if (entry.type === 'message' && !this.#hasMessages && !isTrouble(entry)) return;
    if (this.#isWanted(entry)) this.#window.add({ atMs: 0, entry });
  }

  async take(item: RecordingItem): Promise<void> {
    this.#traffic.take(item);
    if (++this.#items % ITEMS_PER_LOOK === 0) await this.#out.drained();
  }

  storedEnd(): void {
    this.#window.storedEnd();
  }

  end(): void {
    this.#traffic.end();
    this.#window.storedEnd();
  }
}
