// Output that could not be written: to a disk that is full, for one. A reader that left (`| head`) has lost nothing.

import type { Writable } from 'node:stream';

/** A terminal that was closed says EIO. */
const leaving = new Set(['EPIPE', 'EIO']);

/** Listens from now on. The function gives the first failure in words, once the streams had the time to tell it. */
export function lostOutput(streams: Readonly<Record<string, Writable>>): () => Promise<string | undefined> {
  let lost: string | undefined;
  for (const [name, stream] of Object.entries(streams)) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (!leaving.has(code ?? '')) lost ??= `Cannot write to ${name}: ${message}`;
    });
  }
  return async () => {
    await new Promise(setImmediate); // a file fails at once, but its stream tells it after the current turn
    return lost;
  };
}
