// A process has ended: when has the last of its output been read? Usually at the end of the stream. But a grandchild that
// inherited stdout keeps it open for ever, so silence counts too: no data for a while, and one full turn of the event
// loop behind it, because a loop that was blocked fires its timers before it reads.

import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';

const SILENCE_MS = 50;
/** A grandchild that keeps writing is not waited for. */
const LONGEST_MS = 2_000;

export function lastOutput(stream: Readable, clock: Clock): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: Timer;
    let chunks = 0;
    const startedMs = clock.nowMs();
    const tooLong = () => clock.nowMs() - startedMs > LONGEST_MS;
    const count = () => {
      chunks++;
    };
    const done = () => {
      timer.cancel();
      stream.off('data', count);
      stream.off('end', done);
      stream.off('close', done);
      resolve();
    };
    const listen = () => {
      const before = chunks;
      timer = clock.after(SILENCE_MS, () => setImmediate(() => (chunks === before || tooLong() ? done() : listen())));
    };
    stream.on('data', count);
    stream.once('end', done);
    stream.once('close', done);
    listen();
  });
}
