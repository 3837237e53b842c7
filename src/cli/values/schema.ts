// What a JSON Schema says about one value, as far as typing on a command line needs it: references followed, alternatives
// laid side by side. A schema is a server's text and may be anything: nothing here throws or runs for ever.

import { isObject, type JsonObject } from '../../base/json-object.ts';

export type Schema = JsonObject;

const MOST_STEPS = 32;
/** How many schemas one question may look at in all: references can make a few words a forest. */
const MOST_SCHEMAS = 1000;

/** The plain schemas that a value may fit. An empty one says nothing. */
export function alternatives(
  schema: unknown,
  root: Schema,
  steps = 0,
  budget: { left: number } = { left: MOST_SCHEMAS },
): Schema[] {
  if (!isObject(schema) || steps > MOST_STEPS || budget.left-- <= 0) return [{}];
  const inside = (part: unknown) => alternatives(part, root, steps + 1, budget);
  if (typeof schema.$ref === 'string') return inside(follow(schema.$ref, root));
  const { anyOf, oneOf, allOf, ...rest } = schema;
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => inside(part)[0]!);
    return inside(parts.reduce(merge, rest));
  }
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return choices.flatMap((choice) => inside(choice).map((each) => merge(rest, each)));
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The first alternative that is an object; what else it may be does not have names. */
export function objectSchema(schema: unknown, root: Schema): Schema {
  const all = alternatives(schema, root);
  return all.find(({ type, properties }) => type === 'object' || isObject(properties)) ?? all[0] ?? {};
}

export function propertiesOf({ properties }: Schema): Record<string, unknown> {
  return isObject(properties) ? properties : {};
}

/** What a property may be; undefined if the schema does not know of it. */
export function propertySchema(schema: Schema, name: string): unknown {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  if (isObject(schema.patternProperties)) {
    for (const [pattern, found] of Object.entries(schema.patternProperties)) if (matches(pattern, name)) return found;
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

function merge(a: Schema, b: Schema): Schema {
  const both = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) both.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required)) both.required = [...a.required, ...b.required];
  return both;
}

/** Only references into the schema itself: nothing is fetched. */
function follow(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return {};
  let found: unknown = root;
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return {};
    found = (found as Schema)[name];
  }
  return found;
}

function matches(pattern: string, name: string): boolean {
  try {
    return name.length < 1000 && new RegExp(pattern, 'u').test(name);
  } catch {
    return false; // not a pattern of this language
  }
}
