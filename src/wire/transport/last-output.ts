// Determines when the last output of an ended process has been read. Usually that is the end of the stream. But a
// grandchild that inherited stdout keeps it open, so silence counts too: a period without data, followed by one full
// turn of the event loop, because a blocked loop fires its timers before it reads.

import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../../base/clock.ts';

const SILENCE_MS = 50;
/** Limit for a grandchild that keeps writing. */
const LONGEST_MS = 2_000;
/** Number of bytes: more than a pipe, a socket and the buffers of Node.js hold together. */
const PIPE_BYTES = 1024 * 1024;

/** `hasRest`: true if received data is still queued to be decoded. */
export function lastOutput(stream: Readable, clock: Clock, hasRest: () => boolean): Promise<void> {
  if ((stream.readableEnded || stream.destroyed) && !hasRest()) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: Timer;
    let bytes = 0;
    const startedMs = clock.nowMs();
    const isRead = () => !hasRest() && stream.readableLength === 0;
    const isSilent = (before: number) => bytes === before && isRead();
    // Data written before the exit is read without a time limit. Data beyond the capacity of a pipe was written after the exit.
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
