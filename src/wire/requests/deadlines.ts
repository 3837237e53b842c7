// One timer for many deadlines. Adding an item costs one comparison and removing one costs nothing: items are examined
// only when the timer fires. A deadline may be moved to a later time at any moment.

import { type Clock, LONGEST_TIMER_MS, type Timer } from '../../base/clock.ts';

export class Deadlines<T extends { dueMs: number }> {
  #clock: Clock;
  #waiting: { readonly size: number; values(): Iterable<T> };
  #expire: (item: T) => void;
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, waiting: { readonly size: number; values(): Iterable<T> }, expire: (item: T) => void) {
    this.#clock = clock;
    this.#waiting = waiting;
    this.#expire = expire;
  }

  /** Call this after adding an item. */
  added(item: T): void {
    if (item.dueMs < this.#armedForMs) this.#arm(item.dueMs);
    else if (this.#waiting.size === 1) this.#timer?.keepAlive(true);
  }

  /** Call this after removing the last item: an idle peer must not keep the process alive. */
  idle(): void {
    this.#timer?.keepAlive(false);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #arm(dueMs: number): void {
    this.#timer?.cancel();
    this.#armedForMs = dueMs;
    const waitMs = Math.min(Math.max(0, dueMs - this.#clock.nowMs()), LONGEST_TIMER_MS);
    this.#timer = this.#clock.after(waitMs, () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.nowMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const item of [...this.#waiting.values()]) {
      if (item.dueMs <= nowMs) this.#expire(item);
      // Includes items whose deadline was just extended.
      if (item.dueMs > nowMs && item.dueMs < nextMs) nextMs = item.dueMs;
    }
    if (nextMs < this.#armedForMs) this.#arm(nextMs);
  }
}
