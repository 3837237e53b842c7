// Finds the schema of a property by its name. Schemas come from servers, so the search never throws and its time is limited.

import { isObject } from '../../../base/json-object.ts';
import { objectSchemas, propertiesOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';

/** Limit for the number of ways in which a name can match the patterns of one object. */
const MOST_TRIES = 1_000_000;
const LONGEST_PATTERN = 500;

/** The schemas of a property in all alternatives; undefined if none of them has it. */
export function propertyOfAny(schema: unknown, name: string, root: JsonSchema): unknown {
  const found = objectSchemas(schema, root)
    .map((each) => propertySchema(each, name))
    .filter((each) => each !== undefined);
  return found.length > 1 ? { anyOf: found } : found[0];
}

export function propertySchema(schema: JsonSchema, name: string): unknown {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  let triesLeft = MOST_TRIES;
  for (const [pattern, found] of patternsOf(schema)) {
    triesLeft -= mostTries(pattern, name);
    if (triesLeft < 0) return {}; // unknown schema: the server validates the value
    if (matches(pattern, name)) return found;
  }
  return isObject(schema.additionalProperties) || schema.additionalProperties === true
    ? schema.additionalProperties
    : undefined;
}

/** Whether names outside `properties` are allowed. If the schema leaves this open, an unknown name is probably a mistake. */
export function isOpen(schema: JsonSchema): boolean {
  const { additionalProperties } = schema;
  if (additionalProperties === true || isObject(additionalProperties)) return true;
  return additionalProperties !== false && Object.keys(propertiesOf(schema)).length === 0;
}

function patternsOf({ patternProperties }: JsonSchema): [string, unknown][] {
  return isObject(patternProperties) ? Object.entries(patternProperties) : [];
}

/**
 * Upper bound for the number of ways in which a backtracking engine can match the name to the pattern. Each quantifier may end at any
 * position of the name, and each alternative doubles the number. A repeated or referenced group is unbounded.
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
    return false; // the pattern is not valid
  }
}
