// Forwards the traffic between a host and its server, byte for byte and chunk by chunk, and passes on ends and exits. The traffic is
// also reported to the flow, for the recorder and for viewers, whose failures do not affect it.

import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { toError } from '../../base/errors.ts';
import type { FrameDecoder, FrameFault, FrameSink, Framing } from '../../wire/framing/framing.ts';
import { newline } from '../../wire/framing/newline.ts';
import { type ServerProcess, startServerProcess } from '../../wire/process/server-process.ts';
import { Watchdog } from '../../wire/process/tree/watchdog.ts';
import { CUT_TAIL_BYTES } from '../flow/cut-frame.ts';
import type { ServerDirection } from '../flow/event.ts';
import type { FlowSource } from '../flow/source.ts';
import { DEFAULT_KEEP_FRAME_BYTES, FlowStore } from '../flow/store.ts';
import { type ObserverOptions, startObservers } from './observers.ts';
import { type OwnStdio, ownStdio, watchHost } from './own-stdio.ts';
import { passSignals } from './pass-signals.ts';

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

  void forward(ends.input, server.stdin, (chunk) => watch.see('toServer', chunk)).then(() => watch.see('toServer'));
  const output = forward(server.stdout, ends.output, (chunk) => watch.see('fromServer', chunk));
  const errors = forward(server.stderr, ends.errors, (chunk) => watch.see('stderr', chunk));
  void output.then((end) => (end === 'broken' ? host.outputBroken() : undefined));

  const about = { kind: 'tap', name, command: server.commandLine, cwd: process.cwd(), record: options.record } as const;
  const observers = startObservers(store, source, about, options, warn);

  const { exitCode, signal } = await server.exit;
  await Promise.all([output, errors]);
  watch.see('fromServer');
  source.endStderr();
  source.exited(exitCode, signal);
  source.stopped(await server.stop());
  host.stop();
  await observers.close();
  signals.stop();
  return { exitCode, signal };
}

/** Exit codes as in a shell: 127 for a command that does not exist, 126 for one that cannot be run. */
function notStarted(error: Error & { code?: unknown }): TapResult {
  return { exitCode: error.code === 'COMMAND_NOT_FOUND' ? 127 : 126, signal: null, error };
}

/**
 * Forwards one direction, with backpressure. If the reader has closed its pipe, the pipe of the writer is closed too. `seen` gets each
 * chunk after it was forwarded, and must neither throw nor modify it. Resolves when all data was passed to the system.
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

export interface WatchOptions {
  framing: Framing;
  /** If a frame is longer, only its beginning, its end and its length are reported. */
  keepFrameBytes: number;
  onFailure(error: Error): void;
}

/** Decodes forwarded chunks and reports their frames to the flow. It cannot delay, change or stop the traffic. */
export class TrafficWatch {
  readonly #source: FlowSource;
  readonly #options: WatchOptions;
  readonly #ways: Record<ServerDirection, OneWay>;
  #failed = false;

  constructor(source: FlowSource, options: WatchOptions) {
    this.#source = source;
    this.#options = options;
    const { framing, keepFrameBytes } = options;
    const oneWay = (direction: ServerDirection) =>
      new OneWay(source, direction, framing.decoder({ maxFrameBytes: keepFrameBytes }));
    this.#ways = { toServer: oneWay('toServer'), fromServer: oneWay('fromServer') };
  }

  /** Without `chunk`, the stream of this direction has ended. */
  see(what: ServerDirection | 'stderr', chunk?: Uint8Array): void {
    try {
      if (what === 'stderr') this.#source.stderr(chunk!);
      else if (chunk) this.#ways[what].push(chunk);
      else this.#ways[what].end();
    } catch (thrown) {
      if (!this.#failed) this.#options.onFailure(toError(thrown));
      this.#failed = true;
    }
  }
}

const nothing = new Uint8Array(0);

class OneWay implements FrameSink {
  readonly #source: FlowSource;
  readonly #direction: ServerDirection;
  readonly #decoder: FrameDecoder;
  /** The current chunk, and its offset in the stream. */
  #chunk: Uint8Array = nothing;
  #chunkOffset = 0;
  /** Previous chunks, as many as the end of a frame may need, and their total size. */
  readonly #before: Uint8Array[] = [];
  #beforeBytes = 0;

  constructor(source: FlowSource, direction: ServerDirection, decoder: FrameDecoder) {
    this.#source = source;
    this.#direction = direction;
    this.#decoder = decoder;
  }

  push(chunk: Uint8Array): void {
    this.#remember(this.#chunk);
    this.#chunkOffset += this.#chunk.length;
    this.#chunk = chunk;
    this.#decoder.push(chunk, this);
  }

  end(): void {
    this.#decoder.end(this);
  }

  #remember(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#before.push(chunk);
    this.#beforeBytes += chunk.length;
    for (let first = this.#before[0]!; this.#beforeBytes - first.length >= CUT_TAIL_BYTES; first = this.#before[0]!) {
      this.#before.shift();
      this.#beforeBytes -= first.length;
    }
  }

  frame(bytes: Uint8Array, offset: number): void {
    this.#source.frame(this.#direction, bytes, offset);
  }

  span(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#source.span(this.#direction, chunk, start, end, offset);
  }

  fault(fault: FrameFault): void {
    // The frame was forwarded but is too long to store.
    if (fault.code === 'FRAME_TOO_LONG') this.#source.cutFrame(this.#direction, fault, this.#tail(fault));
    else this.#source.badFrame(this.#direction, fault);
  }

  /** The last bytes of a frame that was not stored, taken from the previous chunks. */
  #tail({ offset, length }: FrameFault): Uint8Array {
    const end = offset + length - this.#chunkOffset;
    if (end > this.#chunk.length) return nothing; // the length was announced, but these bytes have not arrived
    if (end >= CUT_TAIL_BYTES) return this.#chunk.subarray(end - CUT_TAIL_BYTES, end);
    const both = Buffer.concat([...this.#before, this.#chunk]);
    return both.subarray(0, Math.max(0, both.length - this.#chunk.length + end));
  }
}
