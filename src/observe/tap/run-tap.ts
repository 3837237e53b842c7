// Forwards the traffic between a host and its server, byte for byte and chunk by chunk, and passes on ends and exits. The traffic
// is also reported to the flow, for the recorder and for viewers. Their failures do not affect the traffic.

import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { toError } from '../../base/errors.ts';
import type { Framing } from '../../wire/framing/framing.ts';
import { newline } from '../../wire/framing/newline.ts';
import { type ServerProcess, startServerProcess } from '../../wire/process/server-process.ts';
import { Watchdog } from '../../wire/process/tree/watchdog.ts';
import { DEFAULT_KEEP_FRAME_BYTES, FlowStore } from '../flow/store.ts';
import { watchHost } from './host-exit.ts';
import { type ObserverOptions, startObservers } from './observers.ts';
import { type OwnStdio, ownStdio } from './own-stdio.ts';
import { passSignals } from './pass-signals.ts';
import { TrafficWatch } from './watch-traffic.ts';

/** `broken`: the reader has closed its pipe. */
type ForwardEnd = 'ended' | 'broken';

export interface TapOptions extends ObserverOptions {
  command: string;
  args?: readonly string[];
  /** The name of the server in recordings and lists. */
  name?: string;
  /** The framing used to observe the traffic. Forwarding does not depend on it. */
  framing?: Framing;
  /** A longer message is forwarded like any other; only its two ends and its length are stored. */
  keepFrameBytes?: number;
  /** Limit of the events stored for viewers that connect later. Small: allocating memory per chunk is the main cost of a tap. */
  maxBytes?: number;
  maxEvents?: number;
}

export interface TapResult {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Set if the server could not be started. */
  error?: Error;
}

/** Resolves when the server has exited and its output was forwarded. `endLike` then ends this process in the same way. */
export async function runTap(options: TapOptions, ends: OwnStdio = ownStdio()): Promise<TapResult> {
  const { command, args = [], name = basename(command), keepFrameBytes = DEFAULT_KEEP_FRAME_BYTES } = options;
  const { maxBytes = 4 * 1024 * 1024, maxEvents = 20_000, framing = newline() } = options;
  const store = new FlowStore({ maxBytes, maxEvents, keepFrameBytes });
  const source = store.begin(name);
  const warn = (problem: string) => {
    source.add({ kind: 'note', text: problem });
    if (ends.errors.writable) ends.errors.write(`standpipe tap: ${problem}\n`);
  };
  const watch = new TrafficWatch(source, {
    framing,
    keepFrameBytes,
    onFailure: (error) => warn(`cannot observe the traffic: ${error.message}`),
  });
  const signals = passSignals((signal) => source.add({ kind: 'signal', signal }));
  let server: ServerProcess;
  try {
    const watchdog = new Watchdog({ onFailure: ({ message }) => source.add({ kind: 'note', text: message }) });
    server = await startServerProcess({ command, args, inheritEnv: true, watchdog });
  } catch (thrown) {
    signals.stop();
    return notStarted(toError(thrown));
  }
  source.spawned(server.pid, server.commandLine);
  signals.connect(server);
  const host = watchHost(ends.input, () => {
    source.add({ kind: 'note', text: 'The host has exited: the server is stopped' });
    void server.stop();
  });

  void forward(ends.input, server.stdin, (chunk) => watch.chunk('toServer', chunk)).then(() => watch.end('toServer'));
  const output = forward(server.stdout, ends.output, (chunk) => watch.chunk('fromServer', chunk));
  const errors = forward(server.stderr, ends.errors, (chunk) => watch.stderr(chunk));
  void output.then((end) => (end === 'broken' ? host.outputBroken() : undefined));

  const about = { kind: 'tap', name, command: server.commandLine, cwd: process.cwd(), record: options.record } as const;
  const observers = startObservers(store, source, about, options, warn);

  const { exitCode, signal } = await server.exit;
  await Promise.all([output, errors]);
  watch.end('fromServer');
  source.endStderr();
  source.exited(exitCode, signal);
  source.stopped(await server.stop());
  host.stop();
  await observers.close();
  signals.stop();
  return { exitCode, signal };
}

/** As a shell does: 127 for a command that does not exist, 126 for one that cannot be run. */
function notStarted(error: Error & { code?: unknown }): TapResult {
  return { exitCode: error.code === 'COMMAND_NOT_FOUND' ? 127 : 126, signal: null, error };
}

/**
 * Forwards one direction: every chunk as it arrives, byte for byte. Backpressure and the end are passed on. If the
 * reader has closed its pipe, the pipe of the writer is closed too. `seen` gets each chunk after it was forwarded. It
 * must not throw, and must not modify the chunk. Resolves when the direction has ended and all data was passed to the
 * system.
 */
function forward(source: Readable, sink: Writable, seen: (chunk: Buffer) => void): Promise<ForwardEnd> {
  return new Promise((resolve) => {
    let isWaiting = false;
    source.on('data', (chunk: Buffer) => {
      // Data that the system accepted at once needs no wait, whatever its size: wait only for the rest.
      if (!sink.write(chunk) && sink.writableLength > 0) {
        source.pause();
        // Node.js resumes the streams of a process that has exited, so that more chunks can arrive while the sink is full.
        if (!isWaiting) sink.once('drain', drained);
        isWaiting = true;
      }
      seen(chunk);
    });
    const drained = () => {
      isWaiting = false;
      source.resume();
    };
    let over = false;
    const ended = () => {
      if (!over) sink.end(() => resolve('ended'));
      over = true;
    };
    source.once('end', ended);
    source.on('error', ended); // a pipe that cannot be read has ended
    source.once('close', ended);
    sink.on('error', () => {
      over = true;
      source.destroy();
      resolve('broken');
    });
  });
}
