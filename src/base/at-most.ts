// A wait that has a limit.

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
