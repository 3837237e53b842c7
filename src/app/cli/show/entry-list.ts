// The entries of the full-screen view and those that the filter selects. Bounded: the oldest entries are dropped. A pending request is
// tested again, because its outcome may select it.

import { type Entry, isPending } from '../../../observe/show/entries.ts';

const MOST_ENTRIES = 50_000;

export class EntryList {
  #entries: Entry[] = [];
  #shown: Entry[] = [];
  #isWanted: (entry: Entry) => boolean;
  /** Pending requests that the filter has not selected so far. */
  readonly #undecided = new Set<Entry>();
  /** The position of an entry in the order of arrival. */
  readonly #order = new WeakMap<Entry, number>();
  #count = 0;
  dropped = 0;
  readonly #most: number;

  constructor(isWanted: (entry: Entry) => boolean, most = MOST_ENTRIES) {
    this.#isWanted = isWanted;
    this.#most = most;
  }

  get size(): number {
    return this.#entries.length;
  }

  get shown(): readonly Entry[] {
    return this.#shown;
  }

  add(entry: Entry): void {
    this.#order.set(entry, this.#count++);
    this.#entries.push(entry);
    this.#test(entry);
    if (this.#entries.length > this.#most) this.#drop();
  }

  filter(isWanted: (entry: Entry) => boolean): void {
    this.#isWanted = isWanted;
    this.#shown = [];
    this.#undecided.clear();
    for (const entry of this.#entries) this.#test(entry);
  }

  /** Tests requests again that were pending. */
  refresh(): void {
    let isFound = false;
    for (const entry of this.#undecided) {
      if (this.#isWanted(entry)) {
        this.#shown.push(entry);
        isFound = true;
      } else if (isPending(entry)) continue;
      this.#undecided.delete(entry);
    }
    if (isFound) this.#shown.sort((a, b) => this.#order.get(a)! - this.#order.get(b)!);
  }

  #test(entry: Entry): void {
    if (this.#isWanted(entry)) this.#shown.push(entry);
    else if (isPending(entry)) this.#undecided.add(entry);
  }

  /** A quarter at a time, because it copies the list. */
  #drop(): void {
    const gone = Math.ceil(this.#most / 4);
    for (const entry of this.#entries.slice(0, gone)) this.#undecided.delete(entry);
    this.#entries = this.#entries.slice(gone);
    this.dropped += gone;
    const first = this.#order.get(this.#entries[0]!)!;
    this.#shown = this.#shown.filter((entry) => this.#order.get(entry)! >= first);
  }
}
