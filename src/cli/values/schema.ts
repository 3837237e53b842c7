// What a JSON Schema says about one value, as far as typing on a command line needs it: references followed, alternatives
// laid side by side. A schema is a server's text and may be anything: nothing here throws or runs for ever.

import { isObject, type JsonObject } from '../../base/json-object.ts';

export type Schema = JsonObject;

const MOST_STEPS = 32;
/** How many schemas one question may look at in all: references can make a few words a forest. */
const MOST_SCHEMAS = 1000;
/** So many names in them, copied where schemas are joined, count as one more. */
const NAMES_OF_A_SCHEMA = 100;
/** How many ways to fit a name to the patterns of one object may be tried: an instant. */
const MOST_TRIES = 1_000_000;
const LONGEST_PATTERN = 500;

interface Budget {
  left: number;
}

/** The plain schemas that a value may fit. An empty one says nothing. */
export function alternatives(
  schema: unknown,
  root: Schema,
  steps = 0,
  budget: Budget = { left: MOST_SCHEMAS },
): Schema[] {
  if (!isObject(schema) || steps > MOST_STEPS || budget.left <= 0) return [{}];
  budget.left -= 1 + countOf(schema) / NAMES_OF_A_SCHEMA;
  const inside = (part: unknown) => alternatives(part, root, steps + 1, budget);
  if (typeof schema.$ref === 'string') return inside(follow(schema.$ref, root));
  const { anyOf, oneOf, allOf, ...rest } = schema;
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => inside(part)[0]!);
    return inside(parts.reduce((a: Schema, b) => merge(a, b, budget), rest));
  }
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return choices.flatMap((choice) => inside(choice).map((each) => merge(rest, each, budget)));
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The alternatives that are objects, at least one; what else it may be does not have names. */
export function objectSchemas(schema: unknown, root: Schema): Schema[] {
  const all = alternatives(schema, root);
  const objects = all.filter(({ type, properties }) => type === 'object' || isObject(properties));
  return objects.length > 0 ? objects : [all[0] ?? {}];
}

export function objectSchema(schema: unknown, root: Schema): Schema {
  return objectSchemas(schema, root)[0]!;
}

/** What a property may be in any of the alternatives; undefined if none of them knows of it. */
export function propertyOfAny(schema: unknown, name: string, root: Schema): unknown {
  const found = objectSchemas(schema, root)
    .map((each) => propertySchema(each, name))
    .filter((each) => each !== undefined);
  return found.length > 1 ? { anyOf: found } : found[0];
}

export function propertiesOf({ properties }: Schema): Record<string, unknown> {
  return isObject(properties) ? properties : {};
}

/** What a property may be; undefined if the schema does not know of it. */
export function propertySchema(schema: Schema, name: string): unknown {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  let triesLeft = MOST_TRIES;
  for (const [pattern, found] of patternsOf(schema)) {
    triesLeft -= mostTries(pattern, name);
    if (triesLeft < 0) return {}; // it may fit or not: the server will tell
    if (matches(pattern, name)) return found;
  }
  return isObject(schema.additionalProperties) || schema.additionalProperties === true
    ? schema.additionalProperties
    : undefined;
}

/** Whether names beside `properties` are welcome: where a schema is silent about it, a stranger is mostly a slip. */
export function isOpen(schema: Schema): boolean {
  const { additionalProperties } = schema;
  if (additionalProperties === true || isObject(additionalProperties)) return true;
  return additionalProperties !== false && Object.keys(propertiesOf(schema)).length === 0;
}

export function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Where to join them would take too long, nothing is said. */
function merge(a: Schema, b: Schema, budget: Budget): Schema {
  if (budget.left <= 0) return {};
  budget.left -= (namesIn(a) + namesIn(b)) / NAMES_OF_A_SCHEMA;
  const both = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) both.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required)) both.required = [...a.required, ...b.required];
  return both;
}

function namesIn({ properties, required }: Schema): number {
  return countOf(properties) + (Array.isArray(required) ? required.length : 0);
}

function countOf(object: unknown): number {
  return isObject(object) ? Object.keys(object).length : 0;
}

/** Only references into the schema itself: nothing is fetched. */
export function follow(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return {};
  let found: unknown = root;
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return {};
    found = (found as Schema)[name];
  }
  return found;
}

function patternsOf({ patternProperties }: Schema): [string, unknown][] {
  return isObject(patternProperties) ? Object.entries(patternProperties) : [];
}

/**
 * In how many ways an engine that tries them all may fit the name to the pattern, or more. Each quantifier may end at any
 * place of the name, each bar doubles the ways. A group that is repeated, or referred to, is beyond counting.
 */
function mostTries(pattern: string, name: string): number {
  if (pattern.length > LONGEST_PATTERN || /\\[1-9k]/.test(pattern)) return Number.POSITIVE_INFINITY;
  const bare = pattern.replaceAll(/\\./gs, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  if (/\)[*+?{]/.test(bare)) return Number.POSITIVE_INFINITY;
  const quantifiers = bare.match(/[*+?{]/g)?.length ?? 0;
  const bars = bare.match(/\|/g)?.length ?? 0;
  return (name.length + 1) ** (quantifiers + 1) * 2 ** bars + pattern.length;
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false; // not a pattern of this language
  }
}
