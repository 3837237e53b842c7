// Reading values that came from outside, exactly: a reader returns what the protocol says or throws a PeerError whose
// message names the place and says what stands there instead. `at` is that place, as a path into the message.

import { PeerError } from '../base/errors.ts';

export type JsonObject = Record<string, unknown>;

export function malformed(problem: string): PeerError {
  return new PeerError('MESSAGE_INVALID', problem);
}

export function readObject(value: unknown, at: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw malformed(`${at} must be an object, not ${nameOf(value)}`);
}

export function readString(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw malformed(`${at} must be a string, not ${nameOf(value)}`);
}

/** `string?` in the protocol: a string, null, or nothing at all. */
export function readOptionalString(value: unknown, at: string): string | undefined {
  return value === undefined || value === null ? undefined : readString(value, at);
}

export function readBoolean(value: unknown, at: string): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`${at} must be true or false, not ${nameOf(value)}`);
}

export function readList<T>(value: unknown, at: string, readItem: (item: unknown, at: string) => T): T[] {
  if (!Array.isArray(value)) throw malformed(`${at} must be an array, not ${nameOf(value)}`);
  return value.map((item, i) => readItem(item, `${at}[${i}]`));
}

/** `T[]?` in the protocol: null and nothing at all are an empty list. */
export function readOptionalList<T>(value: unknown, at: string, readItem: (item: unknown, at: string) => T): T[] {
  return value === undefined || value === null ? [] : readList(value, at, readItem);
}

export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
