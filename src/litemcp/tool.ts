// Tool and Parameter: what a server says of its one tool. `type` of a parameter is a hint in free words: on the wire
// every argument is a string (values.ts knows some of the words).

import type { JsonObject } from '../base/json-object.ts';
import { malformed, placeOf, readObject, readOptionalList, readOptionalString, readString } from './shape.ts';
import { PROTOCOL_VERSION, readInnerVersion, type VersionTuple } from './version.ts';

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
  /** In the order in which a call has its arguments. */
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

/** The fields in the protocol's order, which is the order they are written in; nothing else is taken over. */
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
