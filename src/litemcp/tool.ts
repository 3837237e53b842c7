// Tool, Parameter and ToolCall. The type of a parameter is a free-form hint (values.ts recognises some of them). In a call every argument
// is a string, by position.

import { type JsonObject, jsonKind } from '../base/json-object.ts';
import {
  malformed,
  PROTOCOL_VERSION,
  placeOf,
  readInnerVersion,
  readObject,
  readOptionalList,
  readOptionalString,
  readString,
  VERSION_TEXT,
  type VersionTuple,
} from './shape.ts';

export interface Parameter {
  name: string;
  type: string;
  description?: string;
  example?: string;
}

export interface Tool {
  version: VersionTuple;
  name: string;
  description?: string;
  example?: string;
  /** The parameters in the order of the arguments of a call. */
  parameters: readonly Parameter[];
}

export function readTool(value: unknown, at = 'data'): Tool {
  const tool = readObject(value, at);
  const name = readString(tool.name, at, 'name');
  if (name === '') throw malformed(`${at}.name must not be empty`);
  return {
    version: readInnerVersion(tool.version, at),
    name,
    ...readTexts(tool, at),
    parameters: readOptionalList(tool.parameters, `${at}.parameters`, readParameter),
  };
}

export function readParameter(value: unknown, list = 'parameter', i?: number): Parameter {
  const at = placeOf(list, i);
  const parameter = readObject(value, at);
  return {
    name: readString(parameter.name, at, 'name'),
    type: readString(parameter.type, at, 'type'),
    ...readTexts(parameter, at),
  };
}

/** Keeps only the fields of the protocol, in the order in which they are written. */
export function makeTool(tool: Omit<Tool, 'version' | 'parameters'> & { parameters?: readonly Parameter[] }): Tool {
  return readTool({ ...tool, version: PROTOCOL_VERSION }, 'tool');
}

function readTexts(from: JsonObject, at: string): { description?: string; example?: string } {
  const texts: { description?: string; example?: string } = {};
  for (const key of ['description', 'example'] as const) {
    const text = readOptionalString(from[key], at, key);
    if (text !== undefined) texts[key] = text;
  }
  return texts;
}

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

/** The protocol requires strings. A number or a boolean has exactly one text, so it is accepted. */
function readArgument(value: unknown, at: string, i: number): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') throw malformed(`${placeOf(at, i)} must be a string, not ${jsonKind(value)}`);
  if (losesDigits(value)) throw malformed(`${placeOf(at, i)} is a number too large to be exact: send it as a string`);
  return String(value);
}

/** Whether JSON.parse may have rounded the integer. */
export function losesDigits(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}
