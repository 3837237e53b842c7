// How many values a JSON text holds, without parsing it. What JSON.parse takes, in time and in memory, follows the number of
// values and not the length of the text: three bytes of `{},` become 64 bytes of heap. One walk over the characters.

/** What a connection reads unless said otherwise. */
export const DEFAULT_MAX_FRAME_VALUES = 1_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
/** Strings that end sooner are walked through; behind that, the engine's own search is quicker. */
const NEAR_CHARS = 32;

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
    } else if (code === QUOTE) at = closingQuote(text, at + 1);
  }
  return values > most;
}

/** The place of the quote that ends the string, or the end of the text. `from` is behind the opening quote. */
function closingQuote(text: string, from: number): number {
  let at = from;
  const near = Math.min(from + NEAR_CHARS, text.length);
  while (at < near) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (quote - slashes > at && text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return text.length;
}
