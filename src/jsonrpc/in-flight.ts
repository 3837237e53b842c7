// Requests that wait for their answer: one small table. Ids keep their type, so 1 and "1" stay different, and a second
// answer to the same request finds nothing.

import type { RequestId } from './message.ts';

export class InFlight<T> {
  #byId = new Map<RequestId, T>();

  get size(): number {
    return this.#byId.size;
  }

  add(id: RequestId, value: T): void {
    this.#byId.set(id, value);
  }

  get(id: RequestId): T | undefined {
    return this.#byId.get(id);
  }

  take(id: RequestId): T | undefined {
    const value = this.#byId.get(id);
    if (value !== undefined) this.#byId.delete(id);
    return value;
  }

  delete(id: RequestId): void {
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
}
