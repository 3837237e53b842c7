// A key of a config: how its value is read, and what the schema for editors and the docs say about it. A test writes both from these rows.

import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { framingByName, framingNames } from '../../wire/framing/by-name.ts';
import { didYouMean } from '../nearest.ts';
import type { Fields, Located } from './fields.ts';

/** A key that is documented here and read elsewhere, or ignored. */
export interface Described {
  /** Markdown. */
  about: string;
  /** JSON Schema of the value. */
  schema: object;
  /** true and false are also allowed. */
  orFlag?: true;
}

export interface Key<T> extends Described {
  /** Undefined if the value is absent or invalid. An invalid value is added to the findings. */
  read(fields: Fields, key: string): T | undefined;
}

export type Keys = Readonly<Record<string, Described>>;
export type KeysOf<T> = { readonly [key in keyof T]-?: Key<NonNullable<T[key]>> };
type ValuesOf<K extends Keys> = { [key in keyof K]?: K[key] extends Key<infer T> ? T : never };

/** An object, or only the value of its key `short`. */
export interface Group<T> extends Key<Partial<T>> {
  keys: KeysOf<T>;
  short?: keyof T;
}

/** The values that are given. */
export function readKeys<K extends Keys>(fields: Fields, keys: K): ValuesOf<K> {
  const rows = Object.entries(keys) as [string, Partial<Key<unknown>>][];
  const values = rows.map(([name, key]) => [name, key.read?.(fields, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export function flag(about: string): Key<boolean> {
  return { about, schema: { type: 'boolean' }, read: (fields, key) => fields.boolean(key) };
}

export function count(least: 0 | 1, about: string, most = LONGEST_TIMER_MS): Key<number> {
  const schema = { type: 'integer', minimum: least, maximum: most };
  return { about, schema, read: (fields, key) => fields.count(key, least, most) };
}

export function choice<T extends string>(choices: readonly T[], about: string): Key<T> {
  return { about, schema: { type: 'string', enum: choices }, read: (fields, key) => fields.choice(key, choices) };
}

export function text(about: string, more: object = {}, suggestion?: string): Key<Located> {
  return { about, schema: { type: 'string', ...more }, read: (fields, key) => fields.text(key, suggestion) };
}

export function textNotEmpty(about: string, examples: readonly string[], suggestion?: string): Key<Located> {
  const key = text(about, { minLength: 1, examples }, suggestion);
  const read: Key<Located>['read'] = (fields, name) => {
    const given = key.read(fields, name);
    if (given?.text.trim() === '') fields.findings.error(given.at, `"${name}" is empty`);
    return given;
  };
  return { ...key, read };
}

/** Strings that may have variables. */
export function locatedTexts(about: string, example: string): Key<Located[]> {
  const schema = { type: 'array', items: { type: 'string' } };
  return { about, schema, read: (fields, key) => fields.texts(key, example) };
}

/** Strings without variables. `items` is their JSON Schema. */
export function texts<T extends string>(about: string, example: string, items: Items<T> = {}): Key<T[]> {
  const { fault = '', suggestion, ...schema } = items;
  const fits = (each: string) => schema.enum?.includes(each as T) ?? new RegExp(schema.pattern ?? '').test(each);
  const read = (fields: Fields, key: string) => {
    const given = fields.texts(key, example);
    for (const { text, at } of given ?? []) if (!fits(text)) fields.findings.error(at, fault, suggestion);
    return given?.map((each) => each.text as T);
  };
  return { about, schema: { type: 'array', items: { type: 'string', ...schema } }, read };
}

interface Items<T> {
  enum?: readonly T[];
  pattern?: string;
  fault?: string;
  suggestion?: string;
}

/** A list, or a text with spaces. */
export function words(about: string, example: string): Key<string[]> {
  const list = texts(about, example);
  const read = (fields: Fields, key: string) =>
    fields.value(key)?.type === 'string' ? fields.text(key)!.text.split(' ').filter(Boolean) : list.read(fields, key);
  return { about, schema: { anyOf: [{ type: 'string' }, list.schema] }, read };
}

export function orFlag<K extends Key<unknown>>(key: K): K & (K extends Key<infer T> ? Key<T | boolean> : never) {
  const read = (fields: Fields, name: string) =>
    fields.value(name)?.type === 'boolean' ? fields.boolean(name) : key.read(fields, name);
  return { ...key, orFlag: true, read } as never;
}

export function framing(about: string): Key<string> {
  const named = framingNames.filter((name) => !name.includes('<'));
  const schema = { type: 'string', anyOf: [{ enum: named }, { pattern: '^fixed-length:[1-9]\\d*$' }] };
  const read = (fields: Fields, key: string) => {
    const given = fields.text(key);
    try {
      return given && framingByName(given.text).name;
    } catch (error) {
      fields.findings.error(given!.at, toError(error).message, didYouMean(given!.text, framingNames));
      return undefined;
    }
  };
  return { about, schema, read };
}

interface GroupOptions<T> {
  short?: keyof T;
  /** Unknown keys are errors instead of warnings. */
  strict?: boolean;
  explain?: (key: string) => string | undefined;
  check?: (given: Partial<T>, fields: Fields) => void;
}

export function group<T>(about: string, keys: KeysOf<T>, example: string, options: GroupOptions<T> = {}): Group<T> {
  const { short, strict, explain, check } = options;
  const alone = short && keys[short];
  const read = (fields: Fields, name: string) => {
    // The types of JSON have the same names in a schema and in a document.
    if (alone && fields.value(name)?.type === (alone.schema as { type?: string }).type) {
      return { [short]: alone.read(fields, name) } as Partial<T>;
    }
    const object = fields.object(name, example);
    if (!object) return undefined;
    object.warnUnknown(Object.keys(keys), explain, strict);
    const given = readKeys(object, keys as Keys) as Partial<T>;
    check?.(given, object);
    return given;
  };
  return { about, keys, short, schema: { type: 'object' }, read };
}
