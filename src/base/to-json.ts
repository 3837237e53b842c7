// Serializes the caller's values as JSON, with the same result on every version of Node.js and an error that gives the reason.

import { UsageError } from './errors.ts';

/**
 * The maximum number of nested objects and arrays in JSON that is walked or written. Without it the stack would be the limit, which
 * varies: JSON.stringify fails at about 4,000 levels in Node.js 20 to 24. Parsers of other languages may stop at 1,000.
 */
export const MAX_NESTING = 1_000;

/** The text of a value nested too deeply has at least this many characters, so shorter texts need no check. */
const SHORTEST_TOO_DEEP = 2 * (MAX_NESTING + 1);

/** Returns the text, or a UsageError with the reason. */
export function toJson(value: unknown): string | UsageError {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    // The stack may overflow before the nesting is checked.
    if (cause instanceof RangeError && isNestedTooDeeply(value)) return tooDeep(cause);
    return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Cannot be serialized as JSON: ${(cause as Error).message}`, {
      cause,
      hint: 'Remove BigInt values and circular references.',
    });
  }
  if (json === undefined) {
    return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Cannot be serialized as JSON: ${typeof value}`);
  }
  return json.length >= SHORTEST_TOO_DEEP && isNestedTooDeeply(value) ? tooDeep() : spliceRawJson(json);
}

/** Returns the text, or throws the UsageError of `toJson`. */
export function requireJson(value: unknown): string {
  const json = toJson(value);
  if (typeof json === 'string') return json;
  throw json;
}

export function tooDeep(cause?: Error): UsageError {
  const levels = MAX_NESTING.toLocaleString('en');
  return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Nested too deeply: the limit is ${levels} levels`, {
    cause,
    hint: 'Send flatter data, or send the JSON as a string.',
  });
}

/**
 * JSON text that is sent unchanged, as a value in a message: JSON.parse and JSON.stringify would lose duplicate keys and numbers that a
 * double cannot represent. (JSON.rawJSON does this for single numbers, but not in Node.js 20.)
 */
export class RawJson {
  readonly #text: string;
  readonly #placeholder = `raw-json:${crypto.getRandomValues(new Uint8Array(16)).join('-')}`;

  /** Throws a SyntaxError if the text is not JSON. */
  constructor(text: string) {
    JSON.parse(text);
    // A newline ends a message in most framings. Strings contain only escaped line breaks, and between values a space
    // is equivalent.
    this.#text = text.trim().replace(/[\r\n]+/g, ' ');
  }

  toJSON(): string {
    pending.push(this);
    return this.#placeholder;
  }

  putInto(json: string): string {
    return json.replace(`"${this.#placeholder}"`, () => this.#text);
  }
}

/** Values visited by JSON.stringify since the last splice. It is synchronous, so they all belong to the text that it returns. */
let pending: RawJson[] = [];

/** Takes the result of JSON.stringify. */
export function spliceRawJson(json: string): string {
  if (pending.length === 0) return json;
  const met = pending;
  pending = [];
  return met.reduce((text, raw) => raw.putInto(text), json);
}

export function isNestedTooDeeply(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDeeper(value, MAX_NESTING);
}

/** Recursion is safe because the levels are bounded. Takes a tenth of the time of JSON.stringify. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
    return false;
  }
  // JSON.stringify writes the result of toJSON instead; the members of the object itself may be circular.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key];
    if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
  }
  return false;
}

const LOW = 100;
/** The texts "00" to "99". */
const lowTexts = Array.from({ length: LOW }, (_, low) => String(low).padStart(2, '0'));
const LARGEST = 2 ** 30;

let lastHigh = 0;
let lastHighText = '';

/**
 * Returns `String(id)`. V8 caches the text of converted numbers, and cached texts survive collections of the young generation: with a new
 * id for each message, the young generation grew to its largest size. Text that is concatenated from two parts is not cached.
 */
export function idText(id: number): string {
  if (!(id >= LOW && id < LARGEST && Number.isInteger(id))) return String(id);
  const high = Math.floor(id / LOW);
  if (high !== lastHigh) {
    lastHigh = high;
    lastHighText = String(high);
  }
  return lastHighText + lowTexts[id - high * LOW];
}

const LINE_SEPARATOR = '\u2028';
const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * Escapes U+2028 and U+2029 in JSON that is sent or stored as lines: `readline` of Node.js 24 and later, and Python's
 * `splitlines`, end a line at them. Both occur only inside strings, so they can be replaced in the text. V8 excludes a
 * Latin-1 string by its encoding, without a scan.
 */
export function escapeLineSeparators(json: string): string {
  if (!json.includes(LINE_SEPARATOR) && !json.includes(PARAGRAPH_SEPARATOR)) return json;
  return json.replaceAll(LINE_SEPARATOR, '\\u2028').replaceAll(PARAGRAPH_SEPARATOR, '\\u2029');
}
