// Our own stdout, taken over for a protocol: whatever else writes there (console.log, a library's progress bar) goes to
// stderr instead. On POSIX, Node writes to pipes and sockets without blocking, and to files and terminals at once; the
// protocol writes through the same stream, so that its order and its backpressure stay Node's own.
// A write to descriptor 1 past Node's stream (fs.writeSync(1, …), native code) is not caught.

import type { Writable } from 'node:stream';

/** As much of a Writable as a writer of frames uses. */
export type ByteSink = Pick<Writable, 'write' | 'end' | 'on' | 'once' | 'off' | 'writable' | 'destroyed'>;

export interface OwnStdout {
  readonly stream: ByteSink;
  /** Gives stdout back to everybody. */
  restore(): void;
}

export function takeOverStdout(): OwnStdout {
  const { stdout, stderr } = process;
  const own = Object.hasOwn(stdout, 'write');
  const original = stdout.write;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const stream = {
    write: original.bind(stdout),
    on: stdout.on.bind(stdout),
    once: stdout.once.bind(stdout),
    off: stdout.off.bind(stdout),
    // The descriptor stays open: closing it under a process makes its next print an error.
    end: () => stdout,
    get writable() {
      return stdout.writable;
    },
    get destroyed() {
      return stdout.destroyed;
    },
  } as unknown as ByteSink;
  return {
    stream,
    restore() {
      if (own) stdout.write = original;
      else Reflect.deleteProperty(stdout, 'write');
    },
  };
}
