// Waits that may end early: by a time limit, or by a signal. All time comes through the clock.

import type { CancelSignal } from './cancel-signal.ts';
import type { Clock } from './clock.ts';

export const SILENT: unique symbol = Symbol('silent');

/** The value of the promise, or `SILENT` if it takes longer. The promise must not reject. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | typeof SILENT> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(SILENT));
    void promise.then((value) => {
      timer.cancel();
      resolve(value);
    });
  });
}

/** Rejects with the reason of the signal if it aborts first. */
export function pause(clock: Clock, ms: number, signal: CancelSignal): Promise<void> {
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

/** Settles with the promise, or rejects with the reason of the signal if that aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Returns true for promises of any implementation, not only for the built-in one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
