// Output that could not be written, for example to a full disk. A closed pipe (`| head`) is not an error.

import type { Writable } from 'node:stream';

/** A closed terminal reports EIO. */
const leaving = new Set(['EPIPE', 'EIO']);

/** Listens from now on. The returned function resolves to the message of the first error, after a turn for late events. */
export function lostOutput(streams: Readonly<Record<string, Writable>>): () => Promise<string | undefined> {
  let lost: string | undefined;
  for (const [name, stream] of Object.entries(streams)) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (!leaving.has(code ?? '')) lost ??= `Cannot write to ${name}: ${message}`;
    });
  }
  return async () => {
    await new Promise(setImmediate); // a write to a file fails at once, but its stream emits the error after the current turn
    return lost;
  };
}
