// Reads the members of the outermost object of a JSON text without parsing it, for text that is invalid or cut off and
// for numbers that JSON.parse would round. One pass over the characters, without recursion.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);

/**
 * Maps keys of the outermost object to the text of their values. Incomplete values, objects and arrays are left out;
 * `onNested` is called with the keys of objects and arrays. With `wanted`, other keys are skipped: there may be
 * millions.
 */
export function topLevelTokens(
  text: string,
  wanted?: ReadonlySet<string>,
  onNested?: (key: string) => void,
): Map<string, string> {
  const tokens = new Map<string, string>();
  const start = text.search(/\S/);
  if (text[start] !== '{') return tokens;
  let depth = 1;
  let key: string | undefined;
  let valueComesNext = false;
  for (let at = start + 1; at < text.length && depth > 0; ) {
    const code = text.charCodeAt(at);
    if (opening.has(code)) {
      if (depth === 1 && valueComesNext && key !== undefined) onNested?.(key);
      depth++;
      valueComesNext = false;
    } else if (closing.has(code)) {
      depth--;
    } else if (depth === 1 && code === COLON) {
      valueComesNext = true;
    } else if (depth === 1 && code === COMMA) {
      valueComesNext = false;
    } else if (code === QUOTE || (depth === 1 && !isSpace(code))) {
      const end = code === QUOTE ? endOfString(text, at) : endOfWord(text, at);
      if (end < 0) break; // cut off: `"id":12` could have been 123
      if (depth === 1) {
        if (!valueComesNext) key = wanted ? readWantedKey(text, at, end, wanted) : readKey(text.slice(at, end));
        else if (key !== undefined) tokens.set(key, text.slice(at, end));
        valueComesNext = false;
      }
      at = end;
      continue;
    }
    at++;
  }
  return tokens;
}

/** Strings of up to this length are scanned by character; for longer ones the engine's search is faster. */
const NEAR_CHARS = 32;

/** The index after the closing quote, or −1. `from` is the index of the opening quote. */
export function endOfString(text: string, from: number): number {
  let at = from + 1;
  const near = Math.min(at + NEAR_CHARS, text.length);
  while (at < near) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (quote - slashes > at && text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return -1;
}

function endOfWord(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const ends = code === COMMA || code === COLON || code === QUOTE || isSpace(code);
    if (ends || opening.has(code) || closing.has(code)) return at;
  }
  return -1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** The longest wanted key in its longest form, with every character escaped as in \u0069. */
const LONGEST_WANTED = 64;

function readWantedKey(text: string, at: number, end: number, wanted: ReadonlySet<string>): string | undefined {
  if (end - at > LONGEST_WANTED) return undefined;
  const token = text.slice(at, end);
  const key = token.includes('\\') ? readKey(token) : token.slice(1, -1);
  return key !== undefined && wanted.has(key) ? key : undefined;
}

function readKey(token: string): string | undefined {
  try {
    const key: unknown = JSON.parse(token);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined; // not a valid key, so not a wanted one
  }
}
