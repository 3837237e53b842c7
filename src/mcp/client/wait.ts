// Waits that may end early. All time comes through the clock.

import type { Clock } from '../../base/clock.ts';

export const SILENT: unique symbol = Symbol('silent');

/** What the promise gives, or `SILENT` when it takes longer. The promise must not reject. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | typeof SILENT> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(SILENT));
    void promise.then((value) => {
      timer.cancel();
      resolve(value);
    });
  });
}

/** Rejects with the signal's reason when that comes first. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
