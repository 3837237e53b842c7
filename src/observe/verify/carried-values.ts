// Carries values from new answers into later requests: where a recorded request repeats an identifier of an earlier recorded answer, the
// value at the same place of the new answer is sent.

import { isObject, type JsonObject, setOwn } from '../../base/json-object.ts';
import { keepNewest } from '../analysis/exchange.ts';
import { jsonIn } from './compare.ts';

/** Limits of the remembered values: their number for each kind, and their length. */
const MOST_VALUES = 50_000;
const LONGEST_VALUE = 64 * 1024;
const MOST_CHARS = 16 * 1024 * 1024;
const LONGEST_TEXT = 256 * 1024;
const MOST_LEVELS = 64;
const SHORTEST_TOKEN = 4;
const LONG_TOKEN = 16;

/** Members that a client returns unchanged, whatever their form. */
const returned: ReadonlySet<string> = new Set(['nextCursor', 'cursor', 'requestState', 'taskId']);
const token = /[\w-]+/g;

export class CarriedValues {
  /** Recorded values and the new ones: whole texts, words in texts, and numbers of members that are named as ids. */
  readonly #texts = new Map<string, string>();
  #chars = 0;
  readonly #words = new Map<string, string>();
  readonly #numbers = new Map<number, number>();

  /** Remembers the values that the new answer has in place of identifiers of the recorded answer. */
  learn(recorded: unknown, now: unknown): void {
    this.#walk(recorded, now, '', 0);
  }

  /** The value with the new identifiers in place of the recorded ones. Returns the same value if there are none. */
  applied(value: unknown): unknown {
    return this.isEmpty ? value : this.#replaced(value, '', 0);
  }

  get isEmpty(): boolean {
    return this.#texts.size + this.#words.size + this.#numbers.size === 0;
  }

  /** Returns the reverse mapping: from new identifiers to the recorded ones. */
  reversed(): CarriedValues {
    const other = new CarriedValues();
    for (const [one, now] of this.#texts) other.#texts.set(now, one);
    for (const [one, now] of this.#words) other.#words.set(now, one);
    for (const [one, now] of this.#numbers) other.#numbers.set(now, one);
    return other;
  }

  #walk(recorded: unknown, now: unknown, key: string, level: number): void {
    if (recorded === now || level > MOST_LEVELS) return;
    if (typeof recorded === 'string' && typeof now === 'string') return this.#text(recorded, now, key, level);
    if (typeof recorded === 'number' && typeof now === 'number') {
      if (isIdKey(key)) remember(this.#numbers, recorded, now);
    } else if (Array.isArray(recorded) && Array.isArray(now)) {
      const length = Math.min(recorded.length, now.length);
      for (let at = 0; at < length; at++) this.#walk(recorded[at], now[at], key, level + 1);
    } else if (isObject(recorded) && isObject(now)) {
      for (const name of Object.keys(recorded)) {
        if (Object.hasOwn(now, name)) this.#walk(recorded[name], now[name], name, level + 1);
      }
    }
  }

  #text(recorded: string, now: string, key: string, level: number): void {
    if (recorded.length > LONGEST_TEXT || now.length > LONGEST_TEXT) return;
    const isShort = recorded.length <= LONGEST_VALUE && now.length <= LONGEST_VALUE;
    if (isShort && (returned.has(key) || isIdentifier(recorded))) this.#remember(recorded, now);
    const [one, other] = [jsonIn(recorded), jsonIn(now)];
    if (one && other) return this.#walk(one, other, key, level + 1);
    const [words, others] = [recorded.match(token) ?? [], now.match(token) ?? []];
    if (words.length !== others.length) return;
    for (const [at, word] of words.entries()) {
      if (word !== others[at] && isIdentifier(word)) remember(this.#words, word, others[at]!);
    }
  }

  #remember(recorded: string, now: string): void {
    this.#chars += recorded.length + now.length;
    remember(this.#texts, recorded, now);
    for (const [oldest, its] of this.#texts) {
      if (this.#chars <= MOST_CHARS) return;
      this.#texts.delete(oldest);
      this.#chars -= oldest.length + its.length;
    }
  }

  #replaced(value: unknown, key: string, level: number): unknown {
    if (typeof value === 'string') {
      const whole = this.#texts.get(value);
      if (whole !== undefined || this.#words.size === 0 || value.length > LONGEST_TEXT) return whole ?? value;
      return value.replaceAll(token, (word) => this.#words.get(word) ?? word);
    }
    if (typeof value === 'number') return isIdKey(key) ? (this.#numbers.get(value) ?? value) : value;
    if (level > MOST_LEVELS) return value;
    if (Array.isArray(value)) return value.map((each) => this.#replaced(each, key, level + 1));
    if (!isObject(value)) return value;
    const members: JsonObject = {};
    for (const [name, each] of Object.entries(value)) setOwn(members, name, this.#replaced(each, name, level + 1));
    return members;
  }
}

function remember<K, V>(values: Map<K, V>, recorded: K, now: V): void {
  values.delete(recorded);
  values.set(recorded, now);
  keepNewest(values, MOST_VALUES);
}

/** A word of a language is not an identifier. */
function isIdentifier(text: string): boolean {
  if (text.length < SHORTEST_TOKEN || /\s/.test(text)) return false;
  return /\d/.test(text) || text.length >= LONG_TOKEN;
}

/** `id`, `issue_id`, `issueId`, `ids` */
function isIdKey(key: string): boolean {
  return /^(?:id|ids|.*_ids?|.*[a-z]Ids?|number)$/.test(key);
}
