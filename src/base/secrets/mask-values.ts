// Hides known values in text: values of a child's `env`, other known secrets, and learned ones. A value is found in plain form, escaped as
// JSON and in URL encoding, but not in other encodings or if it is split.

import { isSecretName } from './secret-names.ts';

/** The replacement for a secret without a name. */
export const REDACTED = '[redacted]';

export type Mask = (text: string) => string;

const SHORTEST = 4;
const commonWords =
  /^(?:true|false|yes|none|null|auto|default|debug|info|warn|warning|error|trace|verbose|silent|production|development|staging|test|testing|local|localhost|root|admin|user|guest|main|utf-?8|(?:127\.0\.0\.1|0\.0\.0\.0)(?::\d{1,5})?)$/i;

/** Variables that are not secret: paths, the user name, the language, the node of a fleet. */
const systemVariables =
  /^(?:PATH|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|NODE_ENV|XDG_\w+|STANDPIPE_(?:CHECK_\w+|NODE|GENERATION))$/i;

const shortNumber = /^\d{1,5}$/;

/** Masking common words, values of fewer than 4 characters and short numbers would make the text useless and protect nothing. */
export function isWorthMasking(value: string, isNamedSecret = true): boolean {
  return value.length >= SHORTEST && !commonWords.test(value) && (isNamedSecret || !shortNumber.test(value));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `secrets` holds further values to hide that are not in `env`. */
export function maskValues(env: Environment = {}, secrets: readonly string[] = []): Mask {
  return maskForms(masksByForm(env, secrets));
}

/** Replaces in one pass, so that a mask is never masked again. `maskOf` maps each form of a value to its replacement. */
export function maskForms(maskOf: ReadonlyMap<string, string>): Mask {
  let known = -1;
  let finder: ValueFinder;
  return (text) => {
    if (known !== changes) {
      known = changes;
      finder = new ValueFinder([...maskOf.keys(), ...[...learned.values()].flat()]);
    }
    return finder.replace(text, (value) => maskOf.get(value) ?? REDACTED);
  };
}

/** All forms that `maskValues` finds, with their replacements. */
export function masksByForm(env: Environment, secrets: readonly string[]): ReadonlyMap<string, string> {
  const maskOf = new Map<string, string>();
  const add = (value: string, mask: string, isNamedSecret: boolean) => {
    if (!isWorthMasking(value, isNamedSecret)) return;
    for (const form of formsOf(value)) if (!maskOf.has(form)) maskOf.set(form, mask);
  };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !systemVariables.test(name)) add(value, `[env ${name}]`, isSecretName(name));
  }
  for (const secret of secrets) add(secret, REDACTED, true);
  return maskOf;
}

const TABLE_SIZE = 0x10000;
/** Longer values are searched by this many first characters, and compared as a whole where those match. */
const HEAD_CHARS = 32;
/** Characters of long values that are compared for each character of a text. */
const COMPARED_PER_CHAR = 64;
const LEAST_COMPARED = 65_536;

const visible = /[\x21-\x7e]*/y;

interface Found {
  value: string;
  length: number;
}

/**
 * Finds many values in a text in one pass: a table of first characters rejects most positions, and a binary search over the sorted
 * beginnings of the values decides at the other positions. The time is nearly independent of the number of values and of their lengths.
 */
export class ValueFinder {
  /** Short values and the heads of long ones, sorted by code units. */
  readonly #keys: readonly string[];
  /** For each key, the index of the longest other key that is a prefix of it, or −1. */
  readonly #parents: readonly number[];
  readonly #short = new Set<string>();
  /** Long values by their heads, the longest first. */
  readonly #long = new Map<string, string[]>();
  /** Whether a value begins with two characters of this key. */
  readonly #begins = new Uint8Array(TABLE_SIZE);
  /** How many more characters of long values may be compared in this text. */
  #budget = 0;

  /** All values must have at least two characters. */
  constructor(values: Iterable<string>) {
    for (const value of [...new Set(values)].sort((a, b) => b.length - a.length)) {
      const head = value.slice(0, HEAD_CHARS);
      if (value.length <= HEAD_CHARS) this.#short.add(value);
      else if (this.#long.has(head)) this.#long.get(head)!.push(value);
      else this.#long.set(head, [value]);
    }
    this.#keys = [...new Set([...this.#short, ...this.#long.keys()])].sort(); // sorted by code units
    const parents: number[] = [];
    for (const [at, key] of this.#keys.entries()) {
      let parent = at - 1;
      while (parent >= 0 && !key.startsWith(this.#keys[parent]!)) parent = parents[parent]!;
      parents.push(parent);
      this.#begins[keyOf(key.charCodeAt(0), key.charCodeAt(1))] = 1;
    }
    this.#parents = parents;
  }

  /** Replaces the longest value at each position. Replacements are not searched again. */
  replace(text: string, replacementOf: (value: string) => string): string {
    if (this.#keys.length === 0) return text;
    this.#budget = LEAST_COMPARED + COMPARED_PER_CHAR * text.length;
    let replaced = '';
    let behind = 0;
    let next = text.charCodeAt(0);
    for (let at = 0; at < text.length - 1; at++) {
      const code = next;
      next = text.charCodeAt(at + 1);
      if (this.#begins[keyOf(code, next)] === 0) continue;
      const found = this.#longestAt(text, at);
      if (!found) continue;
      replaced += text.slice(behind, at) + replacementOf(found.value);
      behind = at + found.length;
      at = behind - 1;
      next = text.charCodeAt(behind);
    }
    return behind === 0 ? text : replaced + text.slice(behind);
  }

  #longestAt(text: string, at: number): Found | undefined {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAfter(this.#keys[middle]!, text, at)) high = middle;
      else low = middle + 1;
    }
    // Starts at the last key that does not sort after the text: every key that the text begins with is a prefix of it.
    for (let found = low - 1; found >= 0; found = this.#parents[found]!) {
      const key = this.#keys[found]!;
      if (!text.startsWith(key, at)) continue;
      const long = this.#longAt(this.#long.get(key) ?? [], text, at);
      if (long) return long;
      if (this.#short.has(key)) return { value: key, length: key.length };
    }
    return undefined;
  }

  /**
   * A hostile text in which every position looks like the start of a value would take time proportional to the product
   * of both lengths. When the budget is spent, the head of a value counts as the value, up to the end of the visible
   * characters: too much is hidden rather than too little.
   */
  #longAt(values: readonly string[], text: string, at: number): Found | undefined {
    for (const value of values) {
      if (this.#budget <= 0) {
        visible.lastIndex = at + HEAD_CHARS;
        return { value, length: HEAD_CHARS + visible.exec(text)![0].length };
      }
      this.#budget -= value.length;
      if (text.startsWith(value, at)) return { value, length: value.length };
    }
    return undefined;
  }
}

function keyOf(first: number, second: number): number {
  return ((first << 8) ^ second) & (TABLE_SIZE - 1);
}

/** Whether a value sorts after the rest of a text, by code units. */
function isAfter(value: string, text: string, from: number): boolean {
  for (let at = 0; at < value.length; at++) {
    if (from + at === text.length) return true;
    const difference = value.charCodeAt(at) - text.charCodeAt(from + at);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/**
 * The escaped forms of a value: in JSON as common serializers write it, also twice (JSON text inside JSON, as in tool results), and in URLs.
 * The value itself is first.
 */
export function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = escapeAll(json, /[^ -~]/g); // the form that Python writes
  const inJson = [
    json,
    escapeAll(json, /[\u2028\u2029]/g), // as Standpipe writes it
    escapeAll(json, /[<>&\u2028\u2029]/g), // Go
    ascii,
    ...[json, ascii].map((form) => form.replaceAll('/', '\\/')), // PHP
    dotNet(json),
  ];
  const inText = inJson.map((form) => JSON.stringify(form).slice(1, -1));
  return [...new Set([value, ...inJson, ...inText, ...formsInUrl(value)])];
}

/** .NET escapes everything but ASCII, and the special characters of HTML, with upper-case digits. */
function dotNet(json: string): string {
  return json.replaceAll(/\\"|\\u[\da-f]{4}|[^ -~]|[&'+<>`]/g, (found) =>
    found[1] === 'u' ? `\\u${found.slice(2).toUpperCase()}` : escaped(found.at(-1)!).toUpperCase().replace('U', 'u'),
  );
}

function escapeAll(text: string, characters: RegExp): string {
  return text.replaceAll(characters, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function formsInUrl(value: string): string[] {
  if (/\p{Surrogate}/u.test(value)) return []; // a lone surrogate cannot be encoded in a URL
  const loose = encodeURIComponent(value);
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const strict = loose.replaceAll(/[!'()*]/g, percent); // as in RFC 3986
  const inForm = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', percent);
  const upper = [loose, strict, strict.replaceAll('%2F', '/'), inForm, inForm.replaceAll('*', percent)];
  return [...upper, ...upper.map((form) => form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()))];
}

/** Keeps only the newest values, for a process that refreshes tokens for months. */
const MOST_VALUES = 500;
/** Limit of all forms together. */
const MOST_CHARS = 4 * 1024 * 1024;

const learned = new Map<string, readonly string[]>();
let chars = 0;
let changes = 0;

/** Adds a secret such as an access token. Every mask hides it, including masks created earlier. */
export function learnSecret(value: string): void {
  if (value.length < 4 || learned.has(value)) return;
  const forms = [...formsOf(value)];
  learned.set(value, forms);
  chars += charsOf(forms);
  for (const [oldest, its] of learned) {
    if (oldest === value || (learned.size <= MOST_VALUES && chars <= MOST_CHARS)) break;
    learned.delete(oldest);
    chars -= charsOf(its);
  }
  changes++;
}

function charsOf(forms: readonly string[]): number {
  return forms.reduce((sum, { length }) => sum + length, 0);
}
