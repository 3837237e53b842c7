// A process has ended: when has the last of its output been read? Usually at the end of the stream. But a grandchild that
// inherited stdout keeps it open, so silence counts too: no data for a while, and one full turn of the event
// loop behind it, because a loop that was blocked fires its timers before it reads.

import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';

const SILENCE_MS = 50;
/** A grandchild that keeps writing is not waited for. */
const LONGEST_MS = 2_000;
/** More than a pipe, a socket and Node's buffers hold together. */
const PIPE_BYTES = 1024 * 1024;

/** `hasRest`: whether some of what came waits for its turn to be read. */
export function lastOutput(stream: Readable, clock: Clock, hasRest: () => boolean): Promise<void> {
  if ((stream.readableEnded || stream.destroyed) && !hasRest()) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: Timer;
    let bytes = 0;
    const startedMs = clock.nowMs();
    const isRead = () => !hasRest() && stream.readableLength === 0;
    const isSilent = (before: number) => bytes === before && isRead();
    // What was written before the end is read, however long that takes. Beyond what a pipe holds it was written behind it.
    const isTooLong = () => clock.nowMs() - startedMs > LONGEST_MS && (isRead() || bytes > PIPE_BYTES);
    const count = (chunk: Uint8Array) => {
      bytes += chunk.length;
    };
    const done = () => {
      timer.cancel();
      stream.off('data', count);
      stream.off('end', ended);
      stream.off('close', ended);
      resolve();
    };
    const ended = () => {
      if (!hasRest()) done();
    };
    const listen = () => {
      const before = bytes;
      timer = clock.after(SILENCE_MS, () => setImmediate(() => (isSilent(before) || isTooLong() ? done() : listen())));
    };
    stream.on('data', count);
    stream.once('end', ended);
    stream.once('close', ended);
    listen();
  });
}
