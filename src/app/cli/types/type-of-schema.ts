// Converts a JSON Schema to a TypeScript type. Constraints that TypeScript cannot express (ranges, patterns) are dropped; unknown
// constructs become `unknown`. Schemas come from servers, so the conversion never throws and its time and output are limited.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { follow } from '../../../mcp/schema-alternatives.ts';

const DEEPEST = 12;
/** Limit for the types of one tool. Further types are `unknown`. */
const MOST_TYPES = 2000;

export class TypeWriter {
  readonly #root: JsonObject;
  #left = MOST_TYPES;

  /** Schema in which references are resolved. */
  constructor(root: JsonObject) {
    this.#root = root;
  }

  typeOf(schema: unknown, depth = 0): string {
    if (!isObject(schema) || depth > DEEPEST || --this.#left < 0) return 'unknown';
    const inside = (part: unknown) => this.typeOf(part, depth + 1);
    if (typeof schema.$ref === 'string') return inside(follow(schema.$ref, this.#root));
    if ('const' in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    const { anyOf, oneOf, allOf } = schema;
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
    const own = schema.type !== undefined || isObject(schema.properties) ? this.#plain(schema, depth) : undefined;
    const parts = [
      ...(own === undefined ? [] : [own]),
      ...(Array.isArray(allOf) ? allOf.map(inside) : []),
      ...(choices ? [union(choices.map(inside))] : []),
    ].filter((part) => part !== 'unknown');
    const isPlainObject = (part: string) => part === '{ [name: string]: unknown }';
    const telling = parts.length > 1 ? parts.filter((part) => !isPlainObject(part)) : parts;
    if (telling.length < 2) return telling[0] ?? 'unknown';
    return telling.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ');
  }

  /** `a: number; b?: string` of an object, in one line. */
  membersOf(schema: JsonObject, depth = 0, separator = '; '): string {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const members = properties.map(
      ([name, type]) => `${propertyName(name)}${required.has(name) ? '' : '?'}: ${this.typeOf(type, depth + 1)}`,
    );
    return members.join(separator);
  }

  #plain(schema: JsonObject, depth: number): string {
    const { type } = schema;
    if (Array.isArray(type)) return union(type.map((each) => this.#plain({ ...schema, type: each }, depth)));
    switch (type ?? 'object') {
      case 'string':
        return 'string';
      case 'number':
      case 'integer':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'null':
        return 'null';
      case 'array': {
        const item = this.typeOf(schema.items, depth + 1);
        return /^[\w"]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
      }
      case 'object':
        return this.#object(schema, depth);
      default:
        return 'unknown';
    }
  }

  #object(schema: JsonObject, depth: number): string {
    const members = this.membersOf(schema, depth);
    const { additionalProperties: others } = schema;
    if (members !== '') return others === true ? `{ ${members}; [name: string]: unknown }` : `{ ${members} }`;
    if (others === false) return 'Record<string, never>';
    return `{ [name: string]: ${isObject(others) ? this.typeOf(others, depth + 1) : 'unknown'} }`;
  }
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : (JSON.stringify(value) ?? 'unknown');
}

function union(types: readonly string[]): string {
  if (types.length === 0 || types.includes('unknown')) return 'unknown';
  return [...new Set(types)].join(' | ');
}
