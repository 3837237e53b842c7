// Counts the values of a JSON text without parsing it. Time and memory of JSON.parse depend on the number of values and not on
// the length of the text: nine bytes of `{"a1":1},` take 184 bytes of heap if each object has another key. One pass over the characters.

import { endOfString } from './top-level-json.ts';

/** The default limit of a connection. */
export const DEFAULT_MAX_FRAME_VALUES = 1_000_000;
/** The default limit of a process that serves several peers, such as a host or a gateway: one must not stop the others. */
export const SHARED_MAX_FRAME_VALUES = 250_000;

/** V8 takes 32 bytes for a value of equal objects, and 87 to 118 for one of objects that each have other keys. */
export const BYTES_OF_A_VALUE = 128;
/** The values of a shorter text are not counted: 10,000 such texts take 400 MB. */
const UNCOUNTED_CHARS = 1024;

const BEGINS_WITH_BRACKET = /^\s*[[{]/;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Whether a text has more than `most` values. A value has at least one character, so a text of `most` characters passes. */
export function hasMoreValues(text: string, most: number): boolean {
  return text.length > most && countValues(text, most) > most;
}

/** Values that several texts may have together, such as the parts of one message that are parsed one by one. */
export class ValueBudget {
  readonly most: number;
  #left: number;

  constructor(most: number) {
    this.most = most;
    this.#left = most;
  }

  /** Call it before a text is parsed. False if the text has more values than are left, and for all texts after it: do not parse them. */
  take(text: string): boolean {
    // JSON.parse stops at the first character of other text.
    if (this.#left >= 0) this.#left -= BEGINS_WITH_BRACKET.test(text) ? countValues(text, this.#left) : 1;
    return this.#left >= 0;
  }
}

/** What a text of so many bytes takes as a parsed value, which is kept longer than the text. `values`: those of the text. */
export function heldBytes(bytes: number, values = 0): number {
  return Math.max(bytes, values * BYTES_OF_A_VALUE);
}

/** At most `most` + 1; undefined for a short text. */
export function valuesOf(text: string, most = Number.POSITIVE_INFINITY): number | undefined {
  return text.length > UNCOUNTED_CHARS ? countValues(text, most) : undefined;
}

/**
 * Each value has a comma or an opening bracket before it, which is counted. An empty object or array in an array counts twice.
 * Ends at `most` + 1.
 */
function countValues(text: string, most: number): number {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++values > most) return values;
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) break;
      at = end - 1;
    }
  }
  return values;
}
