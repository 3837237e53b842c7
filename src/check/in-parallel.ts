// Limits of a check: concurrency and time.

import { LONGEST_TIMER_MS, systemClock, type Timer } from '../base/clock.ts';
import { OutOfTime } from './verdict.ts';

/** After a failure, starts no further item and rejects when the running ones have ended. */
export async function inParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}

/** The deadline of a whole check. */
export class Deadline {
  readonly limitMs: number;
  readonly #startMs = performance.now();

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** `ms`, or the time left in the check if that is less. */
  within(ms: number): number {
    const leftMs = this.limitMs - (performance.now() - this.#startMs);
    return Math.max(0, Math.min(ms, leftMs, LONGEST_TIMER_MS));
  }

  get isOver(): boolean {
    return this.within(1) === 0;
  }
}

/** Bounds a rule with many waits. `moreMs`: extends the limit when it is reached and there is progress. */
export async function inTime(
  running: Promise<void> | void,
  limitMs: number,
  moreMs: () => number = () => 0,
): Promise<void> {
  const startMs = performance.now();
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => {
      const more = moreMs();
      if (more > 0) timer = systemClock.after(more, expire);
      else reject(new OutOfTime(stillBusy(performance.now() - startMs)));
    };
    timer = systemClock.after(limitMs, expire);
  });
  await Promise.race([running, late]).finally(() => timer?.cancel());
}

function stillBusy(ms: number): string {
  return `the rule was still running after ${Math.ceil(ms / 1000)} s: raise --timeout, or test the rule alone with --rule`;
}
