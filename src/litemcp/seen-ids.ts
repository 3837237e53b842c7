// Remembers the ids that a client has used, in bounded memory: at least the newest `atLeast`, at most three times as
// many. Most clients count, so a run of consecutive ids is stored as its two ends. Other ids are stored one by one, in
// two generations: when the younger is full, the older is dropped, and so is a run that has not grown since.

import type { OperationId } from './io-basic.ts';

export class SeenIds {
  readonly #atLeast: number;
  /** The first and last id of the run; NaN if there is none. */
  #first = Number.NaN;
  #last = Number.NaN;
  #rowGrew = false;
  #younger = new Set<OperationId>();
  #older = new Set<OperationId>();

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  /** The number of ids stored one by one. */
  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  has(id: OperationId): boolean {
    return (id >= this.#first && id <= this.#last) || this.#younger.has(id) || this.#older.has(id);
  }

  /** Returns false for an id that was used before. */
  add(id: OperationId): boolean {
    if (this.has(id)) return false;
    if (id === this.#last + 1) {
      this.#last = id;
      this.#rowGrew = true;
      if (this.#last - this.#first >= this.#atLeast) this.#first++;
    } else if (Number.isNaN(this.#last) && typeof id === 'number') {
      this.#first = id;
      this.#last = id;
      this.#rowGrew = true;
    } else {
      this.#hold(id);
    }
    return true;
  }

  #hold(id: OperationId): void {
    this.#younger.add(id);
    if (this.#younger.size < this.#atLeast) return;
    this.#older = this.#younger;
    this.#younger = new Set();
    if (!this.#rowGrew) this.#first = this.#last = Number.NaN;
    this.#rowGrew = false;
  }
}
