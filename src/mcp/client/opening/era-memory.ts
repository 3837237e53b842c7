// Remembers the detected era of each server, so that it is probed once. `file-era-memory.ts` keeps it beyond the process.

import type { Era } from '../../revisions.ts';

/** `transcript` is the dialect of transcript-dialect.ts. */
export type KnownEra = Era | 'transcript';

export interface EraMemory {
  get(key: string): KnownEra | undefined;
  set(key: string, era: KnownEra): void;
  /** Called if the remembered era did not work, so that the server is probed again the next time. */
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

  /** Keeps the newest entries, relying on the insertion order of a Map. */
  set(key: string, era: KnownEra): void {
    this.#eras.delete(key);
    this.#eras.set(key, era);
    if (this.#eras.size > this.#maxEntries) this.#eras.delete(this.#eras.keys().next().value!);
  }

  delete(key: string): void {
    this.#eras.delete(key);
  }
}

/** The default memory of `connect`. */
export const processEraMemory: EraMemory = new BoundedEraMemory();
