// Which tools the check may call, and with which arguments. A tool without `readOnlyHint` may change something: it is called only if the
// user names it.

import { globMatcher } from '../../base/glob.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';

export interface PermittedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly tool: JsonObject;
}

/** `name`, or `name={"json":"arguments"}`. A name may contain `*`. */
export interface NamedCall {
  readonly name: string;
  readonly arguments?: JsonObject;
}

export function permittedCalls(tools: readonly JsonObject[], allowed: readonly NamedCall[]): PermittedCall[] {
  return tools.flatMap((tool) => {
    const { name } = tool;
    if (typeof name !== 'string') return [];
    const named = allowed.find((each) => globMatcher(each.name)(name));
    const isReadOnly = isObject(tool.annotations) && tool.annotations.readOnlyHint === true;
    if (!named && !isReadOnly) return [];
    return { name, tool, arguments: named?.arguments ?? sampleArguments(tool.inputSchema) };
  });
}

/** Arguments that a schema probably accepts: its examples and defaults, otherwise the shortest value of each required property. */
export function sampleArguments(schema: unknown): JsonObject {
  const sample = sampleOf(schema);
  return isObject(sample) ? sample : {};
}

function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > 8) return null;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  for (const given of ['default', 'const'] as const) if (schema[given] !== undefined) return schema[given];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [branch] = [schema.anyOf, schema.oneOf].flatMap((each) => (Array.isArray(each) ? [each[0]] : []));
  if (branch !== undefined) return sampleOf(branch, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return 'x'.repeat(Math.max(1, Math.min(numberOf(schema.minLength, 1), 1_000)));
    case 'number':
    case 'integer':
      return numberOf(schema.minimum ?? schema.maximum, 1);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: Math.min(numberOf(schema.minItems, 0), depth > 2 ? 1 : 100) }, () =>
        sampleOf(schema.items, depth + 1),
      );
    case 'null':
      return null;
    default:
      return sampleObject(schema, depth);
  }
}

function sampleObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name], depth + 1)]));
}

/** A schema of a server may have any value there. */
function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
