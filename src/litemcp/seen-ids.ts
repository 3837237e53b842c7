// The ids a client has used, in bounded memory. Two generations: when the younger is full, the older is forgotten. So the
// newest `atLeast` ids are always known, never more than twice as many are held, and each costs the same whatever came before.

import type { OperationId } from './io-basic.ts';

export class SeenIds {
  readonly #atLeast: number;
  #younger = new Set<OperationId>();
  #older = new Set<OperationId>();

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  has(id: OperationId): boolean {
    return this.#younger.has(id) || this.#older.has(id);
  }

  /** Returns false for an id that was used before. */
  add(id: OperationId): boolean {
    if (this.#older.has(id)) return false;
    const before = this.#younger.size;
    this.#younger.add(id);
    if (this.#younger.size === before) return false;
    if (before + 1 >= this.#atLeast) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return true;
  }
}
