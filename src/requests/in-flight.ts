// Requests that wait for their answer: one small table. Ids keep their type, so 1 and "1" stay different, and a second
// answer to the same request finds nothing.
//
// A Map that things are put into and taken from all the time makes itself a new table now and then, and V8 has the old
// table know the new one. Once a table has grown old enough to be left to the slow collector, it keeps all the tables
// after it alive, and all that was in flight in them: collecting took a tenth of the time. So the Map itself is replaced.

/** At most this many additions to one Map; more where much is in flight. */
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

  has(id: Id): boolean {
    return this.#byId.has(id);
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
