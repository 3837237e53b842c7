// Caches one list while it is valid. Concurrent calls without options share one request. A list that changed while it
// was fetched is returned but not cached.

import type { Clock } from '../../base/clock.ts';

export interface Fetched<T> {
  items: T[];
  /** How long the list is valid from now. */
  ttlMs: number;
}

export class ListCache<T> {
  readonly #clock: Clock;
  #items: T[] | undefined;
  #freshUntilMs = 0;
  #fetching: Promise<T[]> | undefined;
  #generation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cached list, if it is still valid. */
  get fresh(): T[] | undefined {
    return this.#items && this.#clock.nowMs() < this.#freshUntilMs ? this.#items : undefined;
  }

  invalidate(): void {
    this.#generation++;
    this.#items = undefined;
    this.#fetching = undefined;
  }

  /** With `shared`, calls made before the fetch ends get the same list. */
  fetch(fetch: () => Promise<Fetched<T>>, shared: boolean): Promise<T[]> {
    if (!shared) return this.#fetch(fetch);
    if (this.#fetching) return this.#fetching;
    const fetching = this.#fetch(fetch).finally(() => {
      if (this.#fetching === fetching) this.#fetching = undefined;
    });
    this.#fetching = fetching;
    return fetching;
  }

  async #fetch(fetch: () => Promise<Fetched<T>>): Promise<T[]> {
    const generation = this.#generation;
    const { items, ttlMs } = await fetch();
    if (generation === this.#generation && ttlMs > 0) {
      this.#items = items;
      this.#freshUntilMs = this.#clock.nowMs() + ttlMs;
    }
    return items;
  }
}
