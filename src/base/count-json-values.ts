// Counts the values of a JSON text in one pass, without parsing it. The time and memory of JSON.parse depend on the number of values: nine
// bytes of `{"a1":1},` take 184 bytes of heap if each object has a different key.

import { requireJson } from './to-json.ts';
import { endOfString } from './top-level-json.ts';

/** The default limit for one message of a connection. */
export const DEFAULT_MAX_FRAME_VALUES = 1_000_000;
/** The default limit in a process that serves several peers, where one peer must not stall the others. */
export const SHARED_MAX_FRAME_VALUES = 250_000;

/** Upper bound. V8 takes 32 bytes per value if all objects have the same keys, and 87 to 118 bytes if each has different keys. */
export const BYTES_OF_A_VALUE = 128;
/** Values of shorter texts are not counted: 10,000 such texts take 400 MB. */
const UNCOUNTED_CHARS = 1024;

const BEGINS_WITH_BRACKET = /^\s*[[{]/;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** A value has at least one character, so a text of `most` characters is not counted. */
export function hasMoreValues(text: string, most: number): boolean {
  return text.length > most && countValues(text, most) > most;
}

/** The number of values that several texts may have together, such as the parts of one message that are parsed one by one. */
export class ValueBudget {
  readonly most: number;
  #left: number;

  constructor(most: number) {
    this.most = most;
    this.#left = most;
  }

  /** Call this before parsing a text. Returns false if the text has more values than are left, and for every text after it. */
  take(text: string): boolean {
    // JSON.parse stops at the first character of text that does not begin with a bracket.
    if (this.#left >= 0) this.#left -= BEGINS_WITH_BRACKET.test(text) ? countValues(text, this.#left) : 1;
    return this.#left >= 0;
  }
}

/** Estimates the memory of a parsed value, which is kept longer than its text. `values` is the number of values in the text. */
export function heldBytes(bytes: number, values = 0): number {
  return Math.max(bytes, values * BYTES_OF_A_VALUE);
}

/** Like `heldBytes`, for a value that is serialised to be measured. Throws a UsageError if it cannot be. */
export function heldBytesOf(value: unknown): number {
  const json = requireJson(value);
  return heldBytes(json.length, valuesOf(json));
}

/** The number of values, at most `most` + 1; undefined for a short text. */
export function valuesOf(text: string, most = Number.POSITIVE_INFINITY): number | undefined {
  return text.length > UNCOUNTED_CHARS ? countValues(text, most) : undefined;
}

/** Counts commas and opening brackets, one of which precedes each value. An empty object or array in an array counts twice. */
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
