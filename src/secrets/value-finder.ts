// Finds many values in a text in one pass: a table of first characters rejects most positions, and a binary search over
// the sorted values decides at the others. The time depends on the length of the text and hardly on the number of
// values.

const TABLE_SIZE = 0x10000;

export class ValueFinder {
  /** Sorted by code units. */
  readonly #values: readonly string[];
  /** For each value, the index of the longest other value that is a prefix of it, or −1. */
  readonly #parents: readonly number[];
  /** Whether a value begins with two characters of this key. */
  readonly #begins = new Uint8Array(TABLE_SIZE);

  /** All values must have at least two characters. */
  constructor(values: Iterable<string>) {
    this.#values = [...new Set(values)].sort(); // by code units
    const parents: number[] = [];
    for (const [at, value] of this.#values.entries()) {
      let parent = at - 1;
      while (parent >= 0 && !value.startsWith(this.#values[parent]!)) parent = parents[parent]!;
      parents.push(parent);
      this.#begins[keyOf(value.charCodeAt(0), value.charCodeAt(1))] = 1;
    }
    this.#parents = parents;
  }

  /** Replaces the longest value at each position. Replacements are not searched again. */
  replace(text: string, replacementOf: (value: string) => string): string {
    if (this.#values.length === 0) return text;
    let replaced = '';
    let behind = 0;
    let next = text.charCodeAt(0);
    for (let at = 0; at < text.length - 1; at++) {
      const code = next;
      next = text.charCodeAt(at + 1);
      if (this.#begins[keyOf(code, next)] === 0) continue;
      const value = this.#values[this.#longestAt(text, at)];
      if (value === undefined) continue;
      replaced += text.slice(behind, at) + replacementOf(value);
      behind = at + value.length;
      at = behind - 1;
      next = text.charCodeAt(behind);
    }
    return behind === 0 ? text : replaced + text.slice(behind);
  }

  /** The index of the longest value at this position, or −1. */
  #longestAt(text: string, at: number): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAfter(this.#values[middle]!, text, at)) high = middle;
      else low = middle + 1;
    }
    // Starts at the last value that does not sort after the text: every value that the text begins with is a prefix of it.
    let found = low - 1;
    while (found >= 0 && !text.startsWith(this.#values[found]!, at)) found = this.#parents[found]!;
    return found;
  }
}

function keyOf(first: number, second: number): number {
  return ((first << 8) ^ second) & (TABLE_SIZE - 1);
}

/** Whether a value sorts after the rest of a text, by code units. */
function isAfter(value: string, text: string, from: number): boolean {
  for (let at = 0; at < value.length; at++) {
    if (from + at === text.length) return true;
    const difference = value.charCodeAt(at) - text.charCodeAt(from + at);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
