// Waits that have a limit.

import type { Clock } from './clock.ts';

/** Resolves with the event, which must not reject, or when the time is up. */
export function atMost(waitMs: number, event: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(waitMs, resolve);
    void event.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

/** Settles with the promise, or rejects with the reason of the signal if that aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
