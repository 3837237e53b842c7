// Reserves the stdout of this process for the protocol (server side). While reserved, all other output to stdout goes to stderr:
// console.log, loggers, `process.stdout.write`, `fs.write(1, …)`, even from code that saved the stream earlier. Only the protocol writes to
// the real stdout.
// stdout cannot be ended, and EPIPE on stderr does not end the process.
// Measured with Node.js 20 on Linux: stdout is asynchronous for pipes and Unix sockets (an unread write of 4 MB returns in 3 ms, and the
// event loop continues), synchronous for files and terminals. So a separate handle is not needed.
// Not covered: native code that writes to fd 1, and worker threads that use `fs.write(1, …)`.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Writable } from 'node:stream';

/** The part of Writable that a frame writer uses. */
export type ByteSink = Pick<Writable, 'write' | 'end' | 'on' | 'once' | 'off' | 'writable' | 'errored' | 'destroyed'>;

export interface ReservedStdout {
  /** The real stdout. Its `end` leaves the descriptor open, because later output would fail otherwise. */
  readonly stream: ByteSink;
  /**
   * Resolves when the written data has reached the system or can no longer reach it. Await it before `process.exit`.
   */
  flush(): Promise<void>;
  restore(): void;
}

export function reserveStdout(): ReservedStdout {
  const { stdout, stderr } = process;
  const stream = bareStream(stdout);
  // The console stores its stream at its first use. It must be the real stream, which can be restored.
  Reflect.get(console, '_stdout');
  stderr.on('error', ignoreLostLog);
  const undo = [
    replace(process, 'stdout', { get: () => stderr, configurable: true, enumerable: true }),
    // Affects code that holds the real stream, such as the console.
    replace(stdout, 'write', { value: strayWrite(stdout, stderr), configurable: true, writable: true }),
    replace(stdout, 'end', { value: endNothing(stderr), configurable: true, writable: true }),
    // Code that ends `process.stdout` now ends stderr instead, and logs must still be written.
    replace(stderr, 'end', { value: endNothing(stderr), configurable: true, writable: true }),
    ...(['write', 'writeSync', 'writev', 'writevSync'] as const).map(divertDescriptor),
  ];
  syncBuiltinESMExports(); // updates `import { stdout } from 'node:process'` and `import { writeSync } from 'node:fs'`

  return {
    stream,
    flush: () => new Promise((resolve) => void stream.write('', () => resolve())),
    restore() {
      for (const step of undo) step();
      stderr.off('error', ignoreLostLog);
      syncBuiltinESMExports();
    },
  };
}

/**
 * Bytes of the current write that the other end has not read yet. The number falls with every read; 'drain' follows at 0. Only the stream's
 * handle provides it (sockets of Node.js use it for their timeouts); 0 without a handle.
 */
export function unreadBytes(sink: ByteSink): number {
  return (sink as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/**
 * The stream with its original `write`, even after that is replaced. Order and backpressure are those of the stream.
 */
function bareStream(stdout: NodeJS.WriteStream): ByteSink {
  return {
    write: stdout.write.bind(stdout),
    on: stdout.on.bind(stdout),
    once: stdout.once.bind(stdout),
    off: stdout.off.bind(stdout),
    end: () => stdout,
    get _handle() {
      return (stdout as { _handle?: unknown })._handle;
    },
    get writable() {
      return stdout.writable;
    },
    get errored() {
      return stdout.errored;
    },
    get destroyed() {
      return stdout.destroyed;
    },
  } as unknown as ByteSink;
}

/** Replaces `write` for code that holds the real stdout. Emits 'drain' on stdout when stderr has drained. */
function strayWrite(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream) {
  let waiting = false;
  return (...args: Parameters<NodeJS.WriteStream['write']>): boolean => {
    const more = stderr.write(...args);
    if (!more && !waiting) {
      waiting = true;
      stderr.once('drain', () => {
        waiting = false;
        stdout.emit('drain');
      });
    }
    return more;
  };
}

/** Replaces `end`: writes the last chunk, calls back, and leaves the stream open. */
function endNothing(stderr: NodeJS.WriteStream) {
  return function (this: NodeJS.WriteStream, ...args: unknown[]): NodeJS.WriteStream {
    const done = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
    const [chunk, encoding] = args.filter((arg) => typeof arg !== 'function');
    const written = chunk === undefined || chunk === null ? '' : (chunk as string);
    stderr.write(written, encoding as BufferEncoding, () => done?.());
    return this;
  };
}

/** Loggers such as pino write to the descriptor itself. */
function divertDescriptor(name: 'write' | 'writeSync' | 'writev' | 'writevSync'): () => void {
  const original = fs[name] as (fd: number, ...rest: unknown[]) => unknown;
  const diverted = (fd: number, ...rest: unknown[]) => original(fd === 1 ? 2 : fd, ...rest);
  Object.defineProperties(diverted, Object.getOwnPropertyDescriptors(original)); // util.promisify uses the properties
  return replace(fs, name, { value: diverted, configurable: true, writable: true, enumerable: true });
}

function replace(target: object, key: string, descriptor: PropertyDescriptor): () => void {
  const before = Object.getOwnPropertyDescriptor(target, key);
  Object.defineProperty(target, key, descriptor);
  return () => {
    if (before) Object.defineProperty(target, key, before);
    else Reflect.deleteProperty(target, key);
  };
}

function ignoreLostLog(): void {
  // stderr is no longer read. This cannot be reported and does not affect the protocol.
}
