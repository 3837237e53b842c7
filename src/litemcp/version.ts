// VersionTuple: the protocol version in every message. Two ends with the same major number are compatible. The
// specification once shows ToolCall's version as an object, so both forms are accepted; the tuple is written.

import { isObject, jsonKind } from '../base/json-object.ts';
import { type Key, malformed, placeOf } from './shape.ts';

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

/**
 * Reads the version inside `data`. It repeats the version of the message: it may be absent, but must have the same
 * major number.
 */
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
    `${placeOf(at, key)} is ${version.join('.')}, and this side speaks LiteMCP ${PROTOCOL_VERSION.join('.')}: ` +
      `only versions ${major}.x.x are supported`,
  );
}

function isPart(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
