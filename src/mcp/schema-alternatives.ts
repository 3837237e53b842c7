// Reads a JSON Schema: follows references inside it and lists the plain schemas that a value may match. The schema
// comes from a server and may be anything: nothing here throws or runs without limit.

import { isObject } from '../base/json-object.ts';
import type { JsonSchema } from './types.ts';

const MOST_STEPS = 32;
/** The maximum number of schemas that one query examines: with references, a short schema can expand without limit. */
const MOST_SCHEMAS = 1000;
/** This many names, copied when schemas are merged, count as one schema. */
const NAMES_OF_A_SCHEMA = 100;

interface Budget {
  left: number;
}

/** The plain schemas that a value may match. An empty schema matches anything. */
export function alternatives(
  schema: unknown,
  root: JsonSchema,
  steps = 0,
  budget: Budget = { left: MOST_SCHEMAS },
): JsonSchema[] {
  if (!isObject(schema) || steps > MOST_STEPS || budget.left <= 0) return [{}];
  budget.left -= 1 + countOf(schema) / NAMES_OF_A_SCHEMA;
  const inside = (part: unknown) => alternatives(part, root, steps + 1, budget);
  if (typeof schema.$ref === 'string') return inside(follow(schema.$ref, root));
  const { anyOf, oneOf, allOf, ...rest } = schema;
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => inside(part)[0]!);
    return inside(parts.reduce((a: JsonSchema, b) => merge(a, b, budget), rest));
  }
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return choices.flatMap((choice) => inside(choice).map((each) => merge(rest, each, budget)));
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The alternatives that are objects, at least one; other alternatives have no named members. */
export function objectSchemas(schema: unknown, root: JsonSchema): JsonSchema[] {
  const all = alternatives(schema, root);
  const objects = all.filter(({ type, properties }) => type === 'object' || isObject(properties));
  return objects.length > 0 ? objects : [all[0] ?? {}];
}

export function objectSchema(schema: unknown, root: JsonSchema): JsonSchema {
  return objectSchemas(schema, root)[0]!;
}

export function propertiesOf({ properties }: JsonSchema): Record<string, unknown> {
  return isObject(properties) ? properties : {};
}

export function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Returns an empty schema if merging would exceed the budget. */
function merge(a: JsonSchema, b: JsonSchema, budget: Budget): JsonSchema {
  if (budget.left <= 0) return {};
  budget.left -= (namesIn(a) + namesIn(b)) / NAMES_OF_A_SCHEMA;
  const both = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) both.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required)) both.required = [...a.required, ...b.required];
  return both;
}

function namesIn({ properties, required }: JsonSchema): number {
  return countOf(properties) + (Array.isArray(required) ? required.length : 0);
}

function countOf(object: unknown): number {
  return isObject(object) ? Object.keys(object).length : 0;
}

/** Follows only references into the schema itself: nothing is fetched. */
export function follow(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return {};
  let found: unknown = root;
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const name = decodedPart(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return {};
    found = (found as JsonSchema)[name];
  }
  return found;
}

/** A reference is a URI: its characters may be percent-encoded. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
