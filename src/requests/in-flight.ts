// Requests in flight by their id. Ids keep their type, so 1 and "1" are different.
//
// A Map with many additions and deletions reallocates its table now and then, and in V8 the old table refers to the new one. A
// table that has reached the old generation keeps all later tables alive, with all requests that were in them: garbage
// collection took a tenth of the time. The Map itself is therefore replaced.

/** How many additions one Map takes; more if many requests are in flight. */
const FEWEST_ADDITIONS = 1024;

export class InFlight<Id, T> {
  #byId = new Map<Id, T>();
  #additionsLeft = FEWEST_ADDITIONS;

  get size(): number {
    return this.#byId.size;
  }

  add(id: Id, value: T): void {
    if (this.#additionsLeft-- === 0) this.#renew();
    this.#byId.set(id, value);
  }

  get(id: Id): T | undefined {
    return this.#byId.get(id);
  }

  take(id: Id): T | undefined {
    const value = this.#byId.get(id);
    if (value !== undefined) this.#byId.delete(id);
    return value;
  }

  delete(id: Id): void {
    this.#byId.delete(id);
  }

  takeAll(): T[] {
    const all = [...this.#byId.values()];
    this.#byId.clear();
    return all;
  }

  values(): IterableIterator<T> {
    return this.#byId.values();
  }

  #renew(): void {
    this.#byId = new Map(this.#byId);
    this.#additionsLeft = Math.max(FEWEST_ADDITIONS, 4 * this.#byId.size);
  }
}
