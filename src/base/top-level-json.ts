// Finds values in JSON text without parsing all of it. One pass over the characters, without recursion.

import { DEFAULT_MAX_FRAME_VALUES, ValueBudget } from './count-json-values.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);

/**
 * Maps keys of the outermost object to the text of their values, for text that is invalid or cut off and for numbers that JSON.parse would
 * round. Incomplete values, objects and arrays are left out; `onNested` is called with the keys of objects and arrays. With `wanted`, other
 * keys are skipped: there may be millions.
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
      if (end < 0) break; // the text is cut off: `"id":12` could have been 123
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
    return undefined; // an invalid key cannot be a wanted key
  }
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Braces followed by anything else are prose. */
const BEGINS_LIKE_JSON = /^\{\s*["}]/;
const WORK_PER_TEXT = 1_000_000;
const WORK_PER_CHARACTER = 4;

interface FoundObject {
  value: Record<string, unknown>;
  start: number;
  /** The index after the closing brace. */
  end: number;
}

/**
 * Finds JSON objects inside other text, such as the reply of a model. A candidate is a span with balanced braces that parses; the search
 * continues after it. The work is bounded: not every one of a million nested braces is tried. The search ends at the first object that
 * exceeds `budget`; `onExcess` gets the index where it starts.
 */
export function* jsonObjects(
  text: string,
  budget: ValueBudget = new ValueBudget(DEFAULT_MAX_FRAME_VALUES),
  onExcess?: (start: number) => void,
): Generator<FoundObject> {
  let work = WORK_PER_TEXT + text.length * WORK_PER_CHARACTER;
  let start = text.indexOf('{');
  while (start >= 0 && work > 0) {
    const end = endOfObject(text, start, start + work);
    work -= (end < 0 ? Math.min(text.length, start + work) : end) - start;
    const found = end < 0 ? '' : text.slice(start, end);
    const mayParse = BEGINS_LIKE_JSON.test(found);
    if (mayParse && !budget.take(found)) return onExcess?.(start);
    const value = mayParse ? parseObject(found) : undefined;
    if (value) yield { value, start, end };
    start = text.indexOf('{', value ? end : start + 1);
  }
}

/** The index after the brace that closes the one at `start`, or −1. */
function endOfObject(text: string, start: number, limit: number): number {
  let depth = 0;
  for (let at = start; at < text.length && at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return at + 1;
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined; // the braces are part of prose
  }
}
