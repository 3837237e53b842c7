// Compares JSON values with the types of a schema, as `typed-value.ts` does for text, and reports the first mismatch. Schemas come from
// servers, so the search never throws and its time is limited.

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../base/json-object.ts';
import { alternatives } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';
import { propertySchema } from './property-schema.ts';
import { choicesOf, describeType } from './typed-value.ts';

/** Limit for compared values. The server validates the rest. */
const MOST_VALUES = 10_000;
const LONGEST_SHOWN = 60;

export interface WrongType {
  /** `filter.tags.0` */
  name: string;
  /** Continues a sentence that begins with the name. */
  message: string;
}

export function findWrongType(args: Readonly<Record<string, unknown>>, schema: JsonSchema): WrongType | undefined {
  return search(args, schema, [], { root: schema, left: MOST_VALUES });
}

interface Look {
  root: JsonSchema;
  left: number;
}

function search(value: unknown, schema: unknown, path: readonly string[], look: Look): WrongType | undefined {
  if (look.left-- <= 0) return undefined;
  const fitting = alternatives(schema, look.root).filter((choice) => isOfType(value, choice));
  if (fitting.length === 0 && path.length > 0) {
    const text = JSON.stringify(value);
    const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
    return { name: path.join('.'), message: `must be ${describeType(schema, look.root)}, not ${shown}` };
  }
  let first: WrongType | undefined;
  for (const choice of fitting) {
    const wrong = searchInside(value, choice, path, look);
    if (wrong === undefined) return undefined;
    first ??= wrong;
  }
  return first;
}

function searchInside(value: unknown, schema: JsonSchema, path: readonly string[], look: Look): WrongType | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inside] of Object.entries(value)) {
    if (look.left <= 0) return undefined;
    const type = Array.isArray(value) ? schema.items : propertySchema(schema, key);
    const wrong = search(inside, type, [...path, key], look);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isOfType(value: unknown, schema: JsonSchema): boolean {
  const named = choicesOf(schema);
  if (named.length > 0) return named.some((choice) => isDeepStrictEqual(choice, value));
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === schema.type;
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}
