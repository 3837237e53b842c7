// Finds many values in a text in one pass: a table of first characters rejects most positions, and a binary search over
// the sorted beginnings of the values decides at the others. The time depends on the length of the text, and hardly on
// the number of values or on their lengths.

const TABLE_SIZE = 0x10000;
/** Longer values are searched by this many first characters, and compared as a whole where those match. */
const HEAD_CHARS = 32;
/** Characters of long values that are compared for each character of a text. */
const COMPARED_PER_CHAR = 64;
const LEAST_COMPARED = 65_536;

const visible = /[\x21-\x7e]*/y;

interface Found {
  value: string;
  length: number;
}

export class ValueFinder {
  /** Short values and the heads of long ones, sorted by code units. */
  readonly #keys: readonly string[];
  /** For each key, the index of the longest other key that is a prefix of it, or −1. */
  readonly #parents: readonly number[];
  readonly #short = new Set<string>();
  /** Long values by their heads, the longest first. */
  readonly #long = new Map<string, string[]>();
  /** Whether a value begins with two characters of this key. */
  readonly #begins = new Uint8Array(TABLE_SIZE);
  /** How many more characters of long values may be compared in this text. */
  #budget = 0;

  /** All values must have at least two characters. */
  constructor(values: Iterable<string>) {
    for (const value of [...new Set(values)].sort((a, b) => b.length - a.length)) {
      const head = value.slice(0, HEAD_CHARS);
      if (value.length <= HEAD_CHARS) this.#short.add(value);
      else if (this.#long.has(head)) this.#long.get(head)!.push(value);
      else this.#long.set(head, [value]);
    }
    this.#keys = [...new Set([...this.#short, ...this.#long.keys()])].sort(); // by code units
    const parents: number[] = [];
    for (const [at, key] of this.#keys.entries()) {
      let parent = at - 1;
      while (parent >= 0 && !key.startsWith(this.#keys[parent]!)) parent = parents[parent]!;
      parents.push(parent);
      this.#begins[keyOf(key.charCodeAt(0), key.charCodeAt(1))] = 1;
    }
    this.#parents = parents;
  }

  /** Replaces the longest value at each position. Replacements are not searched again. */
  replace(text: string, replacementOf: (value: string) => string): string {
    if (this.#keys.length === 0) return text;
    this.#budget = LEAST_COMPARED + COMPARED_PER_CHAR * text.length;
    let replaced = '';
    let behind = 0;
    let next = text.charCodeAt(0);
    for (let at = 0; at < text.length - 1; at++) {
      const code = next;
      next = text.charCodeAt(at + 1);
      if (this.#begins[keyOf(code, next)] === 0) continue;
      const found = this.#longestAt(text, at);
      if (!found) continue;
      replaced += text.slice(behind, at) + replacementOf(found.value);
      behind = at + found.length;
      at = behind - 1;
      next = text.charCodeAt(behind);
    }
    return behind === 0 ? text : replaced + text.slice(behind);
  }

  #longestAt(text: string, at: number): Found | undefined {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAfter(this.#keys[middle]!, text, at)) high = middle;
      else low = middle + 1;
    }
    // Starts at the last key that does not sort after the text: every key that the text begins with is a prefix of it.
    for (let found = low - 1; found >= 0; found = this.#parents[found]!) {
      const key = this.#keys[found]!;
      if (!text.startsWith(key, at)) continue;
      const long = this.#longAt(this.#long.get(key) ?? [], text, at);
      if (long) return long;
      if (this.#short.has(key)) return { value: key, length: key.length };
    }
    return undefined;
  }

  /**
   * A text made to begin like a value at every position would cost the product of both lengths. Once the budget is spent, the head of a value
   * counts as the value, up to the end of the visible characters: too much is hidden rather than too little.
   */
  #longAt(values: readonly string[], text: string, at: number): Found | undefined {
    for (const value of values) {
      if (this.#budget <= 0) {
        visible.lastIndex = at + HEAD_CHARS;
        return { value, length: HEAD_CHARS + visible.exec(text)![0].length };
      }
      this.#budget -= value.length;
      if (text.startsWith(value, at)) return { value, length: value.length };
    }
    return undefined;
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
