// ToolCall: the tool's name and its arguments by position, all of them strings.

import { jsonKind } from '../base/json-object.ts';
import { malformed, placeOf, readObject, readOptionalList, readString } from './shape.ts';
import { readInnerVersion, VERSION_TEXT, type VersionTuple } from './version.ts';

export interface ToolCall {
  version: VersionTuple;
  tool: string;
  arguments: readonly string[];
}

export function readToolCall(value: unknown, at = 'data'): ToolCall {
  const call = readObject(value, at);
  return {
    version: readInnerVersion(call.version, at),
    tool: readString(call.tool, at, 'tool'),
    arguments: isTexts(call.arguments)
      ? call.arguments
      : readOptionalList(call.arguments, `${at}.arguments`, readArgument),
  };
}

export function printToolCall(tool: string, args: readonly string[]): string {
  return `{"version":${VERSION_TEXT},"tool":${JSON.stringify(tool)},"arguments":${JSON.stringify(args)}}`;
}

function isTexts(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false;
  for (const each of value) if (typeof each !== 'string') return false;
  return true;
}

/** The protocol says string. A number or a boolean can mean only one text, so it is taken as that. */
function readArgument(value: unknown, at: string, i: number): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') throw malformed(`${placeOf(at, i)} must be a string, not ${jsonKind(value)}`);
  if (losesDigits(value)) throw malformed(`${placeOf(at, i)} is a number too large to be exact: send it as a string`);
  return String(value);
}

/** An integer that JSON.parse may have rounded: nobody knows any more what was written. */
export function losesDigits(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}
