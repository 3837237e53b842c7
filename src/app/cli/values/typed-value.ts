// Converts the text of a value to the type in the schema: `5` becomes a number or a string. If both are allowed, it is parsed as
// JSON first. A text that matches no type is a TypeMismatch, which names the expected type.

import { isObject } from '../../../base/json-object.ts';
import { alternatives } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';

export class TypeMismatch extends Error {}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function typedValue(text: string, schema: unknown, root: JsonSchema): unknown {
  const choices = alternatives(schema, root);
  const named = choices.flatMap(choicesOf).find((choice) => choice === text || String(choice) === text);
  if (named !== undefined) return named;
  if (text === 'null' && choices.some(({ type, enum: list }) => type === 'null' || includes(list, null))) return null;
  const open = choices.filter((choice) => choicesOf(choice).length === 0);
  const wants = (...types: string[]) => open.some(({ type }) => types.includes(type as string));
  if (wants('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (wants('number', 'integer') && numberText.test(text)) return readNumber(text, wants('number'));
  const parsed = wants('object', 'array') ? parseStructure(text) : undefined;
  if (parsed !== undefined && wants(Array.isArray(parsed) ? 'array' : 'object')) return parsed;
  // A server may have a type that JSON Schema does not know, such as `str`.
  if (open.some(({ type }) => type === 'string' || !knownTypes.has(type))) return text;
  const list = open.find(({ type }) => type === 'array');
  if (list) return [typedValue(text, list.items, root)];
  throw new TypeMismatch(`must be ${describeType(schema, root)}, not ${JSON.stringify(text)}`);
}

export function acceptsList(schema: unknown, root: JsonSchema): boolean {
  return alternatives(schema, root).some(({ type }) => type === 'array');
}

export function itemSchema(schema: unknown, root: JsonSchema): unknown {
  return alternatives(schema, root).find(({ type }) => type === 'array')?.items;
}

/** Describes a type, for example as `number`, `one of: fast, slow` or `array of integer`. */
export function describeType(schema: unknown, root: JsonSchema, depth = 0): string {
  const words = alternatives(schema, root).map((choice) => {
    const named = choicesOf(choice);
    if (named.length > 0) return named.length > 1 ? `one of: ${named.join(', ')}` : String(named[0]);
    if (choice.type === 'array' && depth < 3 && isObject(choice.items)) {
      return `array of ${describeType(choice.items, root, depth + 1)}`;
    }
    if (choice.type === 'boolean') return 'true or false';
    return plainTypes.find((type) => type === choice.type) ?? 'any';
  });
  return [...new Set(words)].join(' or ');
}

const plainTypes = ['string', 'number', 'integer', 'null', 'array', 'object'];
const knownTypes: ReadonlySet<unknown> = new Set([...plainTypes, 'boolean']);

/** Values of an `enum` or a `const`. Empty if any value of the type is allowed. */
export function choicesOf(schema: JsonSchema): unknown[] {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

function readNumber(text: string, mayHaveFraction: boolean): number {
  const value = Number(text);
  if (!mayHaveFraction && !Number.isInteger(value)) throw new TypeMismatch(`must be integer, not ${text}`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !/[.eE]/.test(text)) {
    throw new TypeMismatch(`is ${text}, which JavaScript cannot represent exactly`);
  }
  if (!Number.isFinite(value)) throw new TypeMismatch(`is ${text}, which is too large`);
  return value;
}

function parseStructure(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text may be a string; otherwise the TypeMismatch names the expected type
  }
}

function includes(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value);
}
