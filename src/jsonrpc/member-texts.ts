// The texts of long members of messages that were read. A host passes most parameters and results on as they came: it sends such a
// text again instead of serializing the value, which takes longer than all else it does with a long message. So numbers that a double
// cannot represent, duplicate keys and escapes in it stay as they are.
//
// A text belongs to its value, and is gone with it. A value with a text must not be changed in place: a service that changes a
// member makes another value. Only objects and arrays have texts, so that what a host itself reads and writes (`_meta`, names) is
// written as it is now.

import { endOfString } from '../base/top-level-json.ts';

type Members = Record<string, unknown>;

/** A shorter message is serialized as fast. */
const LONG_CHARS = 4 * 1024;
/** Where more than one in so many characters is outside of strings, serializing is as fast as this search, which then stops. */
const CHARS_PER_OUTSIDE = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

const texts = new WeakMap<object, string>();

/** The text that a value came as, where it is kept. */
export function keptText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? texts.get(value) : undefined;
}

/** Keeps the texts of the long members of `params` or `result`, which is `members`. The text is that of the whole message, and valid. */
export function keepTexts(text: string | undefined, name: 'params' | 'result', members: Members | undefined): void {
  if (text === undefined || text.length < LONG_CHARS || typeof members !== 'object' || members === null) return;
  const spans = new Search(text).membersOf(name);
  if (!spans) return;
  for (const [key, { start, end }] of spans) {
    const value = members[key];
    if (end - start < LONG_CHARS || typeof value !== 'object' || value === null) continue;
    const own = text.slice(start, end);
    // A line break would end the message in most framings.
    if (!own.includes('\n') && !own.includes('\r')) texts.set(value, own);
  }
}

interface Span {
  start: number;
  end: number;
}

/** One pass over a valid text. Strings are skipped by the search of the engine. */
class Search {
  readonly #text: string;
  #at = 0;
  /** How many characters outside of strings it may still pass. */
  #left: number;

  constructor(text: string) {
    this.#text = text;
    this.#left = text.length / CHARS_PER_OUTSIDE;
  }

  /** Where the values of the members of this object are, or undefined if the search was stopped. Of equal keys the last counts. */
  membersOf(name: string): Map<string, Span> | undefined {
    let found: Map<string, Span> | undefined;
    this.#eachMember((key) => {
      if (key !== name || this.#code() !== OPEN_OBJECT) return this.#skipValue();
      const spans = new Map<string, Span>();
      this.#eachMember((inner) => {
        const start = this.#at;
        this.#skipValue();
        spans.set(inner, { start, end: this.#at });
      });
      found = spans;
    });
    return this.#left > 0 ? found : undefined;
  }

  /** From the opening bracket of an object to behind its closing one. `visit` begins at a value, and ends behind it. */
  #eachMember(visit: (key: string) => void): void {
    this.#skipSpace();
    this.#at++;
    while (this.#left > 0) {
      this.#skipSpace();
      const code = this.#text.charCodeAt(this.#at);
      if (code === COMMA) {
        this.#at++;
        continue;
      }
      if (code !== QUOTE) break;
      const start = this.#at;
      this.#at = endOfString(this.#text, start);
      const key = readKey(this.#text.slice(start, this.#at));
      this.#skipSpace();
      this.#at++; // the colon
      this.#skipSpace();
      visit(key);
    }
    this.#at++;
  }

  #skipValue(): void {
    let depth = 0;
    do {
      if (--this.#left <= 0) return;
      const code = this.#code();
      if (code === QUOTE) this.#at = endOfString(this.#text, this.#at);
      else {
        if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
        else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
        this.#at++;
      }
    } while (depth > 0);
    // The rest of a number or a word.
    while (!isEnd(this.#code())) this.#at++;
  }

  #skipSpace(): void {
    while (this.#code() <= SPACE) this.#at++;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

/** What follows a value. NaN: the end of the text. */
function isEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= SPACE || Number.isNaN(code);
}

function readKey(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
