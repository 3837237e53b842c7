// A key of a config: how its value is read, and its description in the schema for editors and in the docs.

import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import { readDuration } from '../../base/duration.ts';
import { toError } from '../../base/errors.ts';
import { framingByName, framingNames } from '../../wire/framing/by-name.ts';
import { didYouMean } from '../nearest.ts';
import { defaultRestart, MOST_LABELS, type Place, type RestartLimits, type SharePolicy } from '../server-config.ts';
import { type Fields, inQuotes, type Located } from './fields.ts';
import type { OAuthDraft } from './keys.ts';

/** A key that is documented here and read elsewhere, or ignored. */
export interface Described {
  about: string;
  schema: object;
  /** true and false are also allowed. */
  orFlag?: true;
}

export interface Key<T> extends Described {
  /** Returns undefined if the value is absent or invalid. An invalid value is added to the findings. */
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

/** A text such as `10s`, in milliseconds. */
export function duration(about: string): Key<number> {
  const pattern = '^\\d+(\\.\\d+)?(ms|s|m|h)$';
  const read = (fields: Fields, key: string) => {
    const given = fields.text(key, DURATION);
    const ms = given && new RegExp(pattern).test(given.text) ? readDuration(given.text) : undefined;
    if (given && ms === undefined) fields.findings.error(given.at, `"${key}" is not a duration`, DURATION);
    return ms;
  };
  return { about, schema: { type: 'string', pattern, examples: ['10s'] }, read };
}

const DURATION = 'Write a number with its unit, such as "500ms", "10s" or "2m".';

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

/** Null removes a variable, even one of the `envFile`. */
export function env(about: string): Key<Map<string, Located | null>> {
  const values = { type: ['string', 'number', 'null'] }; // VS Code accepts numbers.
  const schema = { type: 'object', propertyNames: { pattern: '^[^=]+$' }, additionalProperties: values };
  return { about, schema, read: readEnv };
}

function readEnv(fields: Fields, key: string): Map<string, Located | null> {
  const found = new Map<string, Located | null>();
  const variables = fields.object(key, 'Write "env": {"NAME": "value"}.');
  for (const name of variables?.keys() ?? []) {
    const [node, at] = [variables!.value(name)!, variables!.valueAt(name)];
    if (!/^[^=\0]+$/.test(name))
      fields.findings.error(variables!.keyAt(name), `${JSON.stringify(name)} is not a valid variable name`);
    else if (node.type === 'null') found.set(name, null);
    else if (node.type === 'string' || node.type === 'number') found.set(name, { text: String(node.value), at });
    else fields.findings.error(at, `"env"."${name}" must be a string`, inQuotes(node));
  }
  return found;
}

export function headers(about: string): Key<Map<string, Located>> {
  const propertyNames = { pattern: validName.source };
  const schema = { type: 'object', propertyNames, additionalProperties: { type: 'string' } };
  return { about, schema, read: readHeaders };
}

const validName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Headers set by the transport. Other values would break the protocol. */
const reserved =
  /^(?:accept|connection|content-(?:length|type|encoding)|expect|keep-alive|last-event-id|mcp-(?:method|name|param-.*|protocol-version|session-id)|te|trailer|transfer-encoding|upgrade)$/i;

function readHeaders(fields: Fields, key: string): Map<string, Located> {
  const { findings } = fields;
  const found = new Map<string, Located>();
  const given = fields.object(key, 'Write "headers": {"Authorization": "Bearer ${TOKEN}"}.');
  for (const name of given?.keys() ?? []) {
    const [value, at] = [given!.text(name), given!.keyAt(name)];
    const before = [...found.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    if (!validName.test(name)) findings.error(at, `${JSON.stringify(name)} is not a valid header name`);
    else if (reserved.test(name)) {
      findings.warn(at, `The header "${name}" is set by Standpipe: this value is ignored`, 'Remove it.');
    } else if (value) {
      if (before !== undefined) findings.warn(at, `The header "${name}" is set twice; the last value is used`);
      found.delete(before ?? name);
      found.set(name, value);
    }
  }
  return found;
}

export function checkRestart(given: Partial<RestartLimits>, fields: Fields): void {
  const { backoffMs, maxBackoffMs } = { ...defaultRestart, ...given };
  if (maxBackoffMs >= backoffMs) return;
  const at = fields.valueAt(fields.has('maxBackoffMs') ? 'maxBackoffMs' : 'backoffMs');
  const message = `"maxBackoffMs" (${maxBackoffMs}) is less than "backoffMs" (${backoffMs}); "maxBackoffMs" is used`;
  fields.findings.warn(at, message);
}

export function checkShare({ by }: Partial<SharePolicy>, fields: Fields): void {
  if (by !== 'call' || !fields.has('idleMs')) return;
  const suggestion = 'Set "by" to "principal" or "client", or remove it.';
  fields.findings.warn(fields.keyAt('idleMs'), `"idleMs" has no effect with "by": "${by}"`, suggestion);
}

export function checkGrant({ grant, clientId, clientSecret }: OAuthDraft, fields: Fields): void {
  if (grant !== 'client_credentials' || (clientId && clientSecret)) return;
  const suggestion = 'Add "clientId" and "clientSecret".';
  fields.findings.error(fields.valueAt('grant'), 'This grant needs a client with a secret', suggestion);
}

export function checkLabels({ labels = [] }: Partial<Place>, fields: Fields): void {
  if (labels.length <= MOST_LABELS) return;
  fields.findings.error(fields.keyAt('labels'), `"labels" has ${labels.length} names, and may have ${MOST_LABELS}`);
}
