// Validating readers for values from a peer: each returns the typed value, or throws a PeerError that names the place
// and the kind of value found there. The place is `key` inside `at`, or `at` itself; its text is built only for an
// error.

import { PeerError } from '../base/errors.ts';
import { isObject, type JsonObject, jsonKind } from '../base/json-object.ts';

export type Key = string | number;

export function malformed(problem: string): PeerError {
  return new PeerError('MESSAGE_INVALID', problem);
}

export function placeOf(at: string, key?: Key): string {
  if (key === undefined) return at;
  return typeof key === 'number' ? `${at}[${key}]` : `${at}.${key}`;
}

export function readObject(value: unknown, at: string, key?: Key): JsonObject {
  if (isObject(value)) return value;
  throw malformed(`${placeOf(at, key)} must be an object, not ${jsonKind(value)}`);
}

export function readString(value: unknown, at: string, key?: Key): string {
  if (typeof value === 'string') return value;
  throw malformed(`${placeOf(at, key)} must be a string, not ${jsonKind(value)}`);
}

/** `string?` in the protocol: a string, null or absent. */
export function readOptionalString(value: unknown, at: string, key?: Key): string | undefined {
  return value === undefined || value === null ? undefined : readString(value, at, key);
}

export function readBoolean(value: unknown, at: string, key?: Key): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`${placeOf(at, key)} must be true or false, not ${jsonKind(value)}`);
}

/** `readItem` gets the place of the list, and the index as the key. */
export function readList<T>(value: unknown, at: string, readItem: (item: unknown, at: string, i: number) => T): T[] {
  if (!Array.isArray(value)) throw malformed(`${at} must be an array, not ${jsonKind(value)}`);
  const list: T[] = [];
  for (let i = 0; i < value.length; i++) list.push(readItem(value[i], at, i));
  return list;
}

/** `T[]?` in the protocol: null and absent become an empty list. */
export function readOptionalList<T>(
  value: unknown,
  at: string,
  readItem: (item: unknown, at: string, i: number) => T,
): T[] {
  return value === undefined || value === null ? [] : readList(value, at, readItem);
}
