// The batches that were parsed last. Their messages are read one by one: to parse the batch for each of them would take time that grows with
// the square of its length.

/** Limit of the text of the batches that are kept. Parsed, it can take 25 times the memory. */
const MOST_CHARS = 8 * 1024 * 1024;
/** Requests and their answers are read in turn, so two batches are kept in any case. */
const LEAST_KEPT = 2;

export class ParsedBatches<Key> {
  readonly #kept = new Map<Key, { parsed: readonly unknown[]; chars: number }>();
  #chars = 0;

  /** Undefined for a batch that is not kept. */
  find(key: Key): readonly unknown[] | undefined {
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found); // inserted again, as the newest entry
    return found.parsed;
  }

  keep(key: Key, parsed: readonly unknown[], chars: number): void {
    this.#remove(key);
    this.#kept.set(key, { parsed, chars });
    this.#chars += chars;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= LEAST_KEPT || this.#chars <= MOST_CHARS) return;
      this.#remove(oldest);
    }
  }

  #remove(key: Key): void {
    this.#chars -= this.#kept.get(key)?.chars ?? 0;
    this.#kept.delete(key);
  }
}
