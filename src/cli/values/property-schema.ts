// The schema of a property by its name. The schema comes from a server and may be anything: nothing here throws or runs for ever.

import { isObject } from '../../base/json-object.ts';
import { objectSchemas, propertiesOf } from '../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../mcp/types.ts';

/** How many ways to fit a name to the patterns of one object may be tried: an instant. */
const MOST_TRIES = 1_000_000;
const LONGEST_PATTERN = 500;

/** What a property may be in any of the alternatives; undefined if none of them knows of it. */
export function propertyOfAny(schema: unknown, name: string, root: JsonSchema): unknown {
  const found = objectSchemas(schema, root)
    .map((each) => propertySchema(each, name))
    .filter((each) => each !== undefined);
  return found.length > 1 ? { anyOf: found } : found[0];
}

/** What a property may be; undefined if the schema does not know of it. */
export function propertySchema(schema: JsonSchema, name: string): unknown {
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
export function isOpen(schema: JsonSchema): boolean {
  const { additionalProperties } = schema;
  if (additionalProperties === true || isObject(additionalProperties)) return true;
  return additionalProperties !== false && Object.keys(propertiesOf(schema)).length === 0;
}

function patternsOf({ patternProperties }: JsonSchema): [string, unknown][] {
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
