// Which era a server turned out to speak, so that finding out is paid for once. A host that wants to know it after a
// restart gives a memory of its own.

import type { Era } from '../revisions.ts';

/** `transcript`: the dialect of transcript-dialect.ts. */
export type KnownEra = Era | 'transcript';

export interface EraMemory {
  get(key: string): KnownEra | undefined;
  set(key: string, era: KnownEra): void;
  /** What was remembered did not work: the next time is to find out anew. */
  delete?(key: string): void;
}

export class BoundedEraMemory implements EraMemory {
  readonly #maxEntries: number;
  readonly #eras = new Map<string, KnownEra>();

  constructor(maxEntries = 1000) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): KnownEra | undefined {
    return this.#eras.get(key);
  }

  /** The newest stay: a Map keeps the order in which keys came. */
  set(key: string, era: KnownEra): void {
    this.#eras.delete(key);
    this.#eras.set(key, era);
    if (this.#eras.size > this.#maxEntries) this.#eras.delete(this.#eras.keys().next().value!);
  }

  delete(key: string): void {
    this.#eras.delete(key);
  }
}

/** The one that `connect` uses unless told otherwise. */
export const processEraMemory: EraMemory = new BoundedEraMemory();
