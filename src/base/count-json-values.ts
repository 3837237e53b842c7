// How many values a JSON text holds, without parsing it. What JSON.parse takes, in time and in memory, follows the number of
// values and not the length of the text: three bytes of `{},` become 64 bytes of heap. One walk over the characters.

import { endOfString } from './top-level-json.ts';

/** What a connection reads unless said otherwise. */
export const DEFAULT_MAX_FRAME_VALUES = 1_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Whether a text has more than `most` values. Counts what each of them needs: a comma or an opening bracket before it. An
 * empty object or array in a list counts twice. A value needs a character, so a text of `most` characters is not looked at.
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
