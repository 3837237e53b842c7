// Keeps this process's stdout for the protocol alone (server side). From the moment it is taken over, `process.stdout` is
// stderr to everyone else: console.log, loggers, `process.stdout.write`, `fs.write(1, …)`, also for code that had got hold
// of the stream before. Only the protocol still has the real one.
// Nobody can end stdout, and a host that no longer reads our stderr does not kill us with EPIPE.
// Measured with Node 20 on Linux: stdout is asynchronous for pipes and Unix sockets (a write of 4 MB that nobody reads
// returns in 3 ms and the event loop runs on), synchronous for files and terminals. So no handle of our own is needed.
// Not caught: native code that writes to fd 1, and threads (worker_threads) that use `fs.write(1, …)`.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Writable } from 'node:stream';

/** As much of a Writable as a writer of frames uses. */
export type ByteSink = Pick<Writable, 'write' | 'end' | 'on' | 'once' | 'off' | 'writable' | 'errored' | 'destroyed'>;

export interface OwnStdout {
  /** The real stdout. Its `end` leaves the descriptor open: closing it under a process makes the next print an error. */
  readonly stream: ByteSink;
  /** Resolves when what was written is with the system, or can no longer get there. To be awaited before `process.exit`. */
  flush(): Promise<void>;
  /** Gives stdout back to everybody. */
  restore(): void;
}

export function takeOverStdout(): OwnStdout {
  const { stdout, stderr } = process;
  const stream = bareStream(stdout);
  // The console takes its stream at its first use and keeps it: let that be the real one, which can be given back.
  Reflect.get(console, '_stdout');
  stderr.on('error', ignoreLostLog);
  const undo = [
    replace(process, 'stdout', { get: () => stderr, configurable: true, enumerable: true }),
    // For those who hold the real one, as the console does.
    replace(stdout, 'write', { value: strayWrite(stdout, stderr), configurable: true, writable: true }),
    replace(stdout, 'end', { value: endNothing(stderr), configurable: true, writable: true }),
    // Whoever ends "stdout" from now on has this one in hand, and the logs must go on.
    replace(stderr, 'end', { value: endNothing(stderr), configurable: true, writable: true }),
    ...(['write', 'writeSync', 'writev', 'writevSync'] as const).map(divertDescriptor),
  ];
  syncBuiltinESMExports(); // for `import { stdout } from 'node:process'` and `import { writeSync } from 'node:fs'`

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
 * How many bytes of the write under way the other end has not taken yet. It falls with every read; 'drain' comes when it is 0.
 * Node.js tells it by the handle alone, by which its own sockets tell a slow reader from none; 0 where there is none.
 */
export function untakenBytes(sink: ByteSink): number {
  return (sink as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** The stream with the `write` it has now, whatever is put in its place. Order and backpressure stay Node's own. */
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

/** `write` for those who hold the real stdout. They wait for its 'drain', so they are told when stderr has drained. */
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

/** `end` writes its last chunk, calls back, and leaves the stream open. */
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
  Object.defineProperties(diverted, Object.getOwnPropertyDescriptors(original)); // util.promisify finds its way by these
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
  // Nobody reads our stderr any more. There is no one left to tell, and the protocol is not concerned.
}
