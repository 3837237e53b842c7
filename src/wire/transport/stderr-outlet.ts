// The destination of a child's stderr. It is always piped through this process, because its last part is evidence for errors. Output on
// stderr is not an error by itself.

import { createWriteStream } from 'node:fs';
import { PassThrough, type Readable, type Stream, type Writable } from 'node:stream';
import { toError, UsageError } from '../../base/errors.ts';

/**
 * `inherit`: forwarded to our stderr. `pipe`, `overlapped`: readable at `transport.stderr`. `ignore`: kept only as
 * error evidence. A descriptor or a writable stream receives everything. A function receives each chunk.
 */
export type StderrChoice =
  | 'inherit'
  | 'pipe'
  | 'overlapped'
  | 'ignore'
  | number
  | Stream
  | ((chunk: Buffer) => void)
  | null;

/** Maximum buffered stderr output. Newer output beyond it is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface StderrOutlet {
  /** The stream of `pipe`, available before the child starts. */
  readonly stream: Readable | null;
  connect(stderr: Readable): void;
  /** Resolves when all of stderr has reached its destination. The caller may then close its descriptor or stream. */
  readonly written?: Promise<void>;
}

export function stderrOutlet(choice: StderrChoice, report: (error: Error) => void): StderrOutlet {
  if (choice === 'ignore') return { stream: null, connect: () => undefined };
  if (choice === 'inherit' || choice === null || choice === 2) {
    const forward = (chunk: Buffer) => {
      if (process.stderr.writableLength < MAX_WAITING_BYTES) process.stderr.write(chunk);
    };
    return { stream: null, connect: (stderr) => stderr.on('data', forward) };
  }
  if (choice === 'pipe' || choice === 'overlapped') return readable();
  if (typeof choice === 'function') {
    const guarded = (chunk: Buffer) => {
      try {
        choice(chunk);
      } catch (error) {
        report(toError(error));
      }
    };
    return { stream: null, connect: (stderr) => stderr.on('data', guarded) };
  }
  if (typeof choice === 'number' && choice >= 0) return into(descriptorStream(choice), report);
  if (typeof (choice as Partial<Writable>).write === 'function') return into(choice as Writable, report);
  throw new UsageError('INVALID_OPTION', `stderr cannot be ${describe(choice)}`, {
    hint: "Use 'inherit', 'pipe', 'ignore', a file descriptor, a writable stream, or a function that takes each chunk.",
  });
}

function readable(): StderrOutlet {
  const stream = new PassThrough();
  return {
    stream,
    connect(stderr) {
      stderr.on('data', (chunk: Buffer) => {
        if (stream.writableLength + stream.readableLength < MAX_WAITING_BYTES) stream.write(chunk);
      });
      stderr.once('close', () => stream.end());
    },
  };
}

/**
 * Nothing is dropped: a child that writes faster than the stream is blocked, as it would be with the descriptor itself.
 */
function into(sink: Writable, report: (error: Error) => void): StderrOutlet {
  let markWritten: () => void;
  const written = new Promise<void>((resolve) => {
    markWritten = resolve;
  });
  return {
    stream: null,
    written,
    connect(stderr) {
      const shared = sharedSink(sink);
      const write = (chunk: Buffer) => {
        if (sink.write(chunk)) return;
        stderr.pause();
        shared.waiting.add(stderr);
      };
      const failed = (error: Error) => {
        stderr.off('data', write);
        stderr.resume();
        report(error);
        markWritten();
      };
      shared.add(failed);
      stderr.on('data', write);
      stderr.once('close', () =>
        sink.write('', () => {
          shared.waiting.delete(stderr);
          shared.remove(failed);
          markWritten();
        }),
      );
    },
  };
}

const sinks = new WeakMap<Writable, SharedSink>();

function sharedSink(sink: Writable): SharedSink {
  const shared = sinks.get(sink) ?? new SharedSink(sink);
  sinks.set(sink, shared);
  return shared;
}

/** A stream shared by several servers, with one listener of each kind. Node.js warns about more than ten. */
class SharedSink {
  readonly waiting = new Set<Readable>();
  readonly #sink: Writable;
  readonly #onFailure = new Set<(error: Error) => void>();

  constructor(sink: Writable) {
    this.#sink = sink;
  }

  add(onFailure: (error: Error) => void): void {
    if (this.#onFailure.size === 0) this.#sink.on('drain', this.#drained).on('error', this.#failed);
    this.#onFailure.add(onFailure);
  }

  remove(onFailure: (error: Error) => void): void {
    if (!this.#onFailure.delete(onFailure) || this.#onFailure.size > 0) return;
    this.#sink.off('drain', this.#drained).off('error', this.#failed);
  }

  #drained = (): void => {
    const waited = [...this.waiting];
    this.waiting.clear();
    for (const stderr of waited) stderr.resume();
  };

  #failed = (error: Error): void => {
    this.waiting.clear();
    for (const failed of [...this.#onFailure]) failed(error);
  };
}

function descriptorStream(descriptor: number): Writable {
  return descriptor === 1 ? process.stdout : createWriteStream('', { fd: descriptor, autoClose: false });
}

function describe(choice: unknown): string {
  if (typeof choice === 'string' || typeof choice === 'number') return JSON.stringify(choice);
  return choice && typeof choice === 'object' ? 'a stream that cannot be written to' : String(choice);
}
