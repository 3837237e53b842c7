// Requests in flight by their id. Ids keep their type, so 1 and "1" are different.
//
// A Map with many additions and deletions reallocates its table repeatedly, and in V8 the old table refers to the new
// one. A table that has reached the old generation keeps all later tables alive, with everything they held when they
// were replaced. Therefore the Map itself is replaced from time to time, and it holds places instead of requests: the
// place of a finished request is emptied and reused.

/** The minimum number of additions before a Map is replaced; the number is higher if many requests are in flight. */
const FEWEST_ADDITIONS = 1024;

interface Place<T> {
  value: T | undefined;
}

export class InFlight<Id, T> {
  #byId = new Map<Id, Place<T>>();
  #additionsLeft = FEWEST_ADDITIONS;
  readonly #empty: Place<T>[] = [];

  get size(): number {
    return this.#byId.size;
  }

  add(id: Id, value: T): void {
    if (this.#additionsLeft-- === 0) this.#renew();
    const place = this.#empty.pop() ?? { value: undefined };
    place.value = value;
    this.#byId.set(id, place);
  }

  get(id: Id): T | undefined {
    return this.#byId.get(id)?.value;
  }

  take(id: Id): T | undefined {
    const place = this.#byId.get(id);
    if (!place) return undefined;
    this.#byId.delete(id);
    return this.#emptied(place);
  }

  delete(id: Id): void {
    this.take(id);
  }

  takeAll(): T[] {
    const places = [...this.#byId.values()];
    this.#byId.clear();
    return places.map((place) => this.#emptied(place));
  }

  *entries(): IterableIterator<[Id, T]> {
    for (const [id, { value }] of this.#byId) yield [id, value!];
  }

  *values(): IterableIterator<T> {
    for (const { value } of this.#byId.values()) yield value!;
  }

  #emptied(place: Place<T>): T {
    const value = place.value!;
    place.value = undefined;
    this.#empty.push(place);
    return value;
  }

  #renew(): void {
    this.#byId = new Map(this.#byId);
    this.#additionsLeft = Math.max(FEWEST_ADDITIONS, 4 * this.#byId.size);
  }
}
