// Compares an answer with the recorded one by structure, under rules about values that may differ.

import { canonicalJson } from '../../base/canonical-json.ts';
import { isObject, type JsonObject, setOwn } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { standsFor } from '../replay/placeholders.ts';
import { IN_TEXT, type RulesLeft } from './rules.ts';
import { areAlike, areNumbersAlike, isTime, masked, type Shape } from './shapes.ts';

export interface AnswerDifference {
  /** The keys and indexes from the answer to the value. */
  readonly path: readonly string[];
  /** The recorded value; undefined if it is absent. */
  readonly before: unknown;
  readonly after: unknown;
  /** The elements are the same in another order. */
  readonly isOrder?: true;
}

export interface Comparison {
  readonly differences: readonly AnswerDifference[];
  /** Whether more differences were found than are listed. */
  readonly isCut: boolean;
  /** The new answer, with the recorded values where a rule accepts the difference. */
  readonly merged: unknown;
}

interface CompareOptions {
  /** Limit of the listed differences. Default: 100. */
  most?: number;
  /** Further shapes whose values do not matter for the order of a list. */
  alsoUnordered?: readonly Shape[];
  /** Puts the identifiers of this run into a recorded value. */
  translate?: ((recorded: unknown) => unknown) | undefined;
}

/** Levels of nesting that are compared member by member. Deeper values are compared as a whole. */
const MOST_LEVELS = 64;
const LONGEST_JSON_TEXT = 4 * 1024 * 1024;

export function compareAnswers(before: unknown, after: unknown, rules: RulesLeft, options: CompareOptions = {}) {
  return new AnswerComparison(options).run(before, after, rules);
}

class AnswerComparison {
  readonly #most: number;
  readonly #options: CompareOptions;
  readonly #differences: AnswerDifference[] = [];
  #isCut = false;

  constructor(options: CompareOptions) {
    this.#most = options.most ?? 100;
    this.#options = options;
  }

  run(before: unknown, after: unknown, rules: RulesLeft): Comparison {
    const merged = this.#compare(before, after, rules, []);
    return { differences: this.#differences, isCut: this.#isCut, merged };
  }

  /** Returns the merged value: the recorded one if both are alike. */
  #compare(before: unknown, after: unknown, rules: RulesLeft, path: readonly string[]): unknown {
    if (before === after || rules.accepted.has('ignore')) return before;
    if (typeof before === 'number' && typeof after === 'number') {
      const isAlike = areNumbersAlike(before, after, rules.accepted) || this.#inThisRun(before, path) === after;
      return isAlike ? before : this.#differ(path, before, after);
    }
    if (typeof before === 'string') {
      if (standsFor(before, after)) return before;
      return typeof after === 'string' ? this.#texts(before, after, rules, path) : this.#differ(path, before, after);
    }
    if (path.length < MOST_LEVELS) {
      if (isObject(before) && isObject(after)) return this.#objects(before, after, rules, path);
      if (Array.isArray(before) && Array.isArray(after)) return this.#arrays(before, after, rules, path);
    }
    const isSame = before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after);
    return isSame ? before : this.#differ(path, before, after);
  }

  #objects(before: JsonObject, after: JsonObject, rules: RulesLeft, path: readonly string[]): JsonObject {
    const merged: JsonObject = {};
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const value = this.#compare(own(before, name), own(after, name), rules.into(name), [...path, name]);
      if (value !== undefined) setOwn<unknown>(merged, name, value);
    }
    return merged;
  }

  #arrays(before: unknown[], after: unknown[], rules: RulesLeft, path: readonly string[]): unknown[] {
    if (rules.accepted.has('order')) {
      return this.#elements(before, this.#inOrderOf(before, after, rules), rules, path, 0);
    }
    if (before.length === after.length) {
      const from = this.#differences.length;
      const [wasCut, elements] = [this.#isCut, this.#elements(before, after, rules, path, 0)];
      const hasDifferences = this.#differences.length > from || this.#isCut !== wasCut;
      if (!hasDifferences || !this.#areReordered(before, after, rules)) return elements;
      this.#differences.length = from;
      this.#isCut = wasCut;
      this.#differ(path, before, after, true);
      return after;
    }
    // Elements are aligned, so that an inserted or removed element does not make all others differ.
    const isAlike = (one: unknown, other: unknown, at: number) => {
      const options = { ...this.#options, most: 1 };
      return compareAnswers(one, other, rules.into(String(at)), options).differences.length === 0;
    };
    const least = Math.min(before.length, after.length);
    let start = 0;
    while (start < least && isAlike(before[start], after[start], start)) start++;
    let end = 0;
    while (end < least - start && isAlike(before.at(-1 - end), after.at(-1 - end), before.length - 1 - end)) end++;
    const middle = this.#elements(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
      rules,
      path,
      start,
    );
    return [...before.slice(0, start), ...middle, ...(end > 0 ? before.slice(-end) : [])];
  }

  #elements(before: unknown[], after: unknown[], rules: RulesLeft, path: readonly string[], from: number): unknown[] {
    const merged: unknown[] = [];
    for (let at = 0; at < Math.max(before.length, after.length); at++) {
      const index = String(from + at);
      const value = this.#compare(before[at], after[at], rules.into(index), [...path, index]);
      if (value !== undefined && at < after.length) merged.push(value);
    }
    return merged;
  }

  /** JSON in a text is compared by structure, if both texts are JSON and not all of it is alike. */
  #texts(before: string, after: string, rules: RulesLeft, path: readonly string[]): string {
    if (areAlike(before, after, rules.accepted)) return before;
    const translated = this.#inThisRun(before, path);
    if (typeof translated === 'string' && translated !== before && areAlike(translated, after, rules.accepted))
      return before;
    const [one, other] = [jsonIn(before), jsonIn(after)];
    if (one === undefined || other === undefined || path.length >= MOST_LEVELS)
      return this.#differ(path, before, after);
    const from = this.#differences.length;
    const inside = rules.into(IN_TEXT);
    this.#compare(one, other, inside, [...path, IN_TEXT]);
    if (this.#differences.length > from || this.#isCut) return after;
    // Equal JSON in another layout is another text, unless a rule accepts values in it.
    return canonicalJson(one) === canonicalJson(other) ? this.#differ(path, before, after) : before;
  }

  /** Under the key of the value, because only some numbers are identifiers. */
  #inThisRun(recorded: unknown, path: readonly string[]): unknown {
    const { translate } = this.#options;
    if (!translate) return recorded;
    const key = path.findLast((each) => !/^\d+$/.test(each)) ?? '';
    return (translate({ [key]: recorded }) as JsonObject)[key];
  }

  /** The new elements, each at the place of a recorded one that equals it. The others fill the places that are left. */
  #inOrderOf(before: unknown[], after: unknown[], rules: RulesLeft): unknown[] {
    const { translate = (value: unknown) => value } = this.#options;
    const places = new Map<string, number[]>();
    for (const [at, key] of this.#keysOf(translate(before) as unknown[], rules).entries()) {
      const same = places.get(key);
      if (same) same.push(at);
      else places.set(key, [at]);
    }
    for (const same of places.values()) same.reverse();
    const ordered: unknown[] = new Array(before.length).fill(undefined);
    const others: unknown[] = [];
    for (const [at, key] of this.#keysOf(after, rules).entries()) {
      const place = places.get(key)?.pop();
      if (place === undefined) others.push(after[at]);
      else ordered[place] = after[at];
    }
    let next = 0;
    const filled = ordered.map((each) => (each === undefined && next < others.length ? others[next++] : each));
    return [...filled, ...others.slice(next)];
  }

  /** Whether both have the same elements in another order, but for values that a rule accepts. */
  #areReordered(before: unknown[], after: unknown[], rules: RulesLeft): boolean {
    const { translate = (value: unknown) => value } = this.#options;
    const keys = this.#keysOf(after, rules);
    const others = this.#keysOf(translate(before) as unknown[], rules);
    if (!others.some((key, at) => key !== keys[at])) return false;
    return JSON.stringify(others.sort()) === JSON.stringify(keys.sort());
  }

  /** Equal for elements that are alike. */
  #keysOf(elements: unknown[], rules: RulesLeft): string[] {
    const { alsoUnordered = [] } = this.#options;
    return elements.map((each, at) => canonicalJson(normal(each, rules.into(String(at)), alsoUnordered) ?? null));
  }

  #differ<T>(path: readonly string[], before: unknown, after: T, isOrder = false): T {
    if (this.#differences.length >= this.#most) this.#isCut = true;
    else this.#differences.push({ path, before, after, ...(isOrder && { isOrder }) });
    return after;
  }
}

/** The value with a fixed text for everything that a rule accepts. */
function normal(value: unknown, rules: RulesLeft, also: readonly Shape[], level = 0): unknown {
  const accepted = also.length > 0 ? new Set([...rules.accepted, ...also]) : rules.accepted;
  if (accepted.has('ignore')) return null;
  if (typeof value === 'string') {
    if (accepted.has('text')) return '';
    const json = rules.isEmpty || level > MOST_LEVELS ? undefined : jsonIn(value);
    return json === undefined ? masked(value, accepted) : normal(json, rules.into(IN_TEXT), also, level + 1);
  }
  if (typeof value === 'number') {
    const mayVary = areNumbersAlike(value, value, rules.accepted) || (also.includes('timestamp') && isTime(value));
    return mayVary ? 0 : value;
  }
  if (level > MOST_LEVELS) return value;
  if (Array.isArray(value)) {
    const all = value.map((each, at) => normal(each, rules.into(String(at)), also, level + 1));
    return accepted.has('order') ? all.map((each) => canonicalJson(each ?? null)).sort() : all;
  }
  if (!isObject(value)) return value;
  const members: JsonObject = {};
  for (const [name, each] of Object.entries(value))
    setOwn(members, name, normal(each, rules.into(name), also, level + 1));
  return members;
}

/** Objects and arrays; undefined for any other text. */
export function jsonIn(text: string): JsonObject | unknown[] | undefined {
  if (text.length > LONGEST_JSON_TEXT || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isWhole = isObject(value) || Array.isArray(value);
    return isWhole && !isNestedTooDeeply(value) ? value : undefined;
  } catch {
    return undefined; // the text begins like JSON but is not JSON
  }
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `result.content[0].text` */
export function pathText(path: readonly string[]): string {
  return path.reduce((text, key) => (/^\d+$/.test(key) ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`), '');
}
