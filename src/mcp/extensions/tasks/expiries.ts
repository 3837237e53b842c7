// When tasks expire: one timer for all of them. Most tasks of a server have the same TTL, so a new one is usually the last
// to expire.

import type { Clock, Timer } from '../../../base/clock.ts';

export class Expiries {
  readonly #clock: Clock;
  readonly #nowMs: () => number;
  readonly #expired: (id: string) => void;
  /** Times in ascending order. Numbers in an array take less memory than in objects. */
  readonly #times: number[] = [];
  /** The tasks that expire at these times. */
  readonly #ids: string[] = [];
  #timer: Timer | undefined;

  /** `nowMs` is the time that the expiries are compared with. */
  constructor(clock: Clock, nowMs: () => number, expired: (id: string) => void) {
    this.#clock = clock;
    this.#nowMs = nowMs;
    this.#expired = expired;
  }

  add(id: string, atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY) return;
    const place = this.#firstAfter(atMs);
    this.#times.splice(place, 0, atMs);
    this.#ids.splice(place, 0, id);
    if (place === 0) this.#arm();
  }

  remove(id: string, atMs: number): void {
    let place = this.#firstAfter(atMs) - 1;
    while (this.#times[place] === atMs && this.#ids[place] !== id) place--;
    if (this.#times[place] === atMs) this.#take(place, 1);
  }

  /** A timer of Node.js has a longest delay, so nothing may have expired when it ends. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const first = this.#times[0];
    if (first === undefined) return;
    this.#timer = this.#clock.after(first - this.#nowMs(), () => this.#fire());
    this.#timer.keepAlive(false);
  }

  #fire(): void {
    const expired = this.#take(0, this.#firstAfter(this.#nowMs()));
    this.#arm();
    for (const id of expired) this.#expired(id);
  }

  #take(place: number, count: number): string[] {
    this.#times.splice(place, count);
    return this.#ids.splice(place, count);
  }

  #firstAfter(ms: number): number {
    let low = 0;
    let high = this.#times.length;
    if (high > 0 && this.#times[high - 1]! <= ms) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#times[middle]! <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
