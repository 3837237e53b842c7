// Validating readers for values from a peer: each returns the typed value, or throws a PeerError that names the place and the kind of
// value found there. The place is `key` inside `at`, or `at` itself; its text is built only for an error.

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

/** Gets the place of the list, and the index as the key. */
type ReadItem<T> = (item: unknown, at: string, i: number) => T;

export function readList<T>(value: unknown, at: string, readItem: ReadItem<T>): T[] {
  if (!Array.isArray(value)) throw malformed(`${at} must be an array, not ${jsonKind(value)}`);
  const list: T[] = [];
  for (let i = 0; i < value.length; i++) list.push(readItem(value[i], at, i));
  return list;
}

/** `T[]?` in the protocol: null and absent become an empty list. */
export function readOptionalList<T>(value: unknown, at: string, readItem: ReadItem<T>): T[] {
  return value === undefined || value === null ? [] : readList(value, at, readItem);
}

/**
 * The protocol version in every message. Two ends with the same major number are compatible. The specification once shows the version of
 * a ToolCall as an object, so both forms are accepted.
 */
export type VersionTuple = readonly [major: number, minor: number, patch: number];

/** The version that this implementation supports and writes. */
export const PROTOCOL_VERSION: VersionTuple = [1, 0, 0];
const [MAJOR, MINOR, PATCH] = PROTOCOL_VERSION;
export const VERSION_TEXT = JSON.stringify(PROTOCOL_VERSION);

export function readVersion(value: unknown, at: string, key?: Key): VersionTuple {
  if (Array.isArray(value)) {
    const [major, minor, patch] = value;
    if (value.length === 3 && major === MAJOR && minor === MINOR && patch === PATCH) return PROTOCOL_VERSION;
    if (value.length === 3 && isPart(major) && isPart(minor) && isPart(patch)) return [major, minor, patch];
    throw malformed(`${placeOf(at, key)} must be three integers, such as [1, 0, 0]`);
  }
  if (!isObject(value)) {
    throw malformed(`${placeOf(at, key)} must be an array such as [1, 0, 0], not ${jsonKind(value)}`);
  }
  const { major, minor, patch } = value;
  if (isPart(major) && isPart(minor) && isPart(patch)) return [major, minor, patch];
  throw malformed(`${placeOf(at, key)} needs integers major, minor and patch`);
}

/** Reads the version inside `data`, which repeats the version of the message and may be absent. */
export function readInnerVersion(value: unknown, at: string): VersionTuple {
  if (value === undefined || value === null) return PROTOCOL_VERSION;
  const version = readVersion(value, at, 'version');
  requireSameMajor(version, at, 'version');
  return version;
}

export function requireSameMajor(version: VersionTuple, at: string, key?: Key): void {
  const [major] = PROTOCOL_VERSION;
  if (version[0] === major) return;
  throw malformed(
    `${placeOf(at, key)} is ${version.join('.')}, and this side supports LiteMCP ${PROTOCOL_VERSION.join('.')}: ` +
      `only versions ${major}.x.x are supported`,
  );
}

function isPart(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
