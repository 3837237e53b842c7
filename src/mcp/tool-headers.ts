// 2026-07-28: a tool can name arguments that clients repeat in `Mcp-Param-…` headers (`x-mcp-header` in its input
// schema). Clients and servers use this file to determine the headers of a tool and their values.

import { isObject } from '../base/json-object.ts';
import type { JsonSchema, Tool } from './types.ts';

/** The name of a header, and the path to the argument that it repeats. */
export interface ToolHeader {
  name: string;
  path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** The limit keeps the headers of a request short. */
const MOST_HEADERS = 100;
/** Keywords whose schemas do not lead to a single argument with a fixed path. */
const oneSchema = [
  ...['items', 'contains', 'additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['propertyNames', 'not', 'if', 'then', 'else', 'prefixItems', 'allOf', 'anyOf', 'oneOf'],
];
const namedSchemas = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

interface Place {
  schema: unknown;
  /** The path; undefined if anything but a chain of `properties` leads to the schema. */
  path: Path | undefined;
}

interface Path {
  key: string;
  before: Path | undefined;
  depth: number;
}

const ROOT: Path = { key: '', before: undefined, depth: 0 };

const known = new WeakMap<Tool, ToolHeader[] | string>();

/** Like `toolHeaders`, computed once for each tool. */
export function headersOf(tool: Tool): ToolHeader[] | string {
  const found = known.get(tool);
  if (found !== undefined) return found;
  const headers = toolHeaders(tool.inputSchema);
  known.set(tool, headers);
  return headers;
}

/** The headers of a tool, or a description of the fault. A faulty tool is not valid over HTTP. */
export function toolHeaders(inputSchema: JsonSchema | undefined): ToolHeader[] | string {
  const found: ToolHeader[] = [];
  const places: Place[] = [{ schema: inputSchema, path: ROOT }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { schema, path } = place;
    if (!isObject(schema)) continue;
    if (schema[ANNOTATION] !== undefined) {
      const wrong = faultOf(schema, path, found);
      if (wrong !== undefined) return wrong;
      found.push({ name: schema[ANNOTATION] as string, path: keysOf(path!) });
    }
    for (const [key, each] of entriesOf(schema.properties)) {
      places.push({ schema: each, path: path && { key, before: path, depth: path.depth + 1 } });
    }
    for (const keyword of oneSchema) {
      const inner = schema[keyword];
      for (const each of Array.isArray(inner) ? inner : [inner]) places.push({ schema: each, path: undefined });
    }
    for (const keyword of namedSchemas) {
      for (const [, each] of entriesOf(schema[keyword])) places.push({ schema: each, path: undefined });
    }
  }
  return found;
}

function faultOf(schema: JsonSchema, path: Path | undefined, found: readonly ToolHeader[]): string | undefined {
  const name = schema[ANNOTATION];
  const shown = `${ANNOTATION} ${JSON.stringify(name)}`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${shown} is not a valid header name`;
  if (!path?.before) return `${shown} is at a property that "properties" alone do not lead to`;
  if (!TYPES.includes(schema.type)) return `${shown} is at a property whose type is not string, integer or boolean`;
  if (found.some((each) => each.name.toLowerCase() === name.toLowerCase())) return `${shown} occurs twice`;
  return found.length < MOST_HEADERS ? undefined : `it has more than ${MOST_HEADERS} headers`;
}

function keysOf(path: Path): string[] {
  const keys = new Array<string>(path.depth);
  for (let at: Path = path; at.before; at = at.before) keys[at.depth - 1] = at.key;
  return keys;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The argument that a header repeats; undefined if there is none. */
export function argumentAt(args: unknown, path: readonly string[]): string | number | boolean | undefined {
  let value = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value === null || typeof value === 'object' ? undefined : (value as ReturnType<typeof argumentAt>);
}

/** The value of the argument, as text. */
export function valueAt(args: unknown, path: readonly string[]): string | undefined {
  const value = argumentAt(args, path);
  return value === undefined ? undefined : String(value);
}
