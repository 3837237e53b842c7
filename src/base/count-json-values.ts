// Counts the values of a JSON text without parsing it. Time and memory of JSON.parse depend on the number of values and not on
// the length of the text: three bytes of `{},` take 64 bytes of heap. One pass over the characters.

import { endOfString } from './top-level-json.ts';

/** The default limit of a connection. */
export const DEFAULT_MAX_FRAME_VALUES = 1_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Whether a text has more than `most` values. Each value has a comma or an opening bracket before it, which is counted. An
 * empty object or array in an array counts twice. A value has at least one character, so a text of `most` characters passes.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++values > most) return true;
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) break;
      at = end - 1;
    }
  }
  return values > most;
}
