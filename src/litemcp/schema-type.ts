// The one word that says what a JSON Schema takes: its type where it has a single one, whichever way it is written
// (`type`, a reference inside of the document, `anyOf` with null, `enum`), and `any` where it has several. Only a hint for
// reading text: whether a value fits is for the MCP server to judge.

import { isObject } from '../base/json-object.ts';
import type { JsonSchema } from '../mcp/types.ts';

export type SchemaWord = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any';

export interface SchemaType {
  word: SchemaWord;
  nullable: boolean;
}

type Found = SchemaWord | 'null';

const words = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** References may go in circles. */
const DEEPEST = 16;

export function schemaType(schema: JsonSchema, root: JsonSchema): SchemaType {
  const found = new Set(wordsOf(schema, root, 0));
  const nullable = found.delete('null');
  if (found.has('number')) found.delete('integer');
  const [word = 'any', ...others] = found;
  return { word: others.length > 0 ? 'any' : (word as SchemaWord), nullable };
}

function wordsOf(schema: unknown, root: JsonSchema, depth: number): Found[] {
  if (!isObject(schema) || depth > DEEPEST) return ['any'];
  const { type, $ref, enum: choices, anyOf, oneOf, allOf } = schema;
  const deeper = (each: unknown) => wordsOf(each, root, depth + 1);
  if (words.has(type)) return [type as Found];
  if (Array.isArray(type)) return type.filter((each) => words.has(each));
  if (typeof $ref === 'string') return deeper(resolve($ref, root));
  if ('const' in schema) return [wordOfValue(schema.const)];
  if (Array.isArray(choices)) return choices.map(wordOfValue);
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) return branches.flatMap(deeper);
  if (Array.isArray(allOf)) return allOf.map(deeper).find((found) => !found.includes('any')) ?? ['any'];
  if ('properties' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['any'];
}

function wordOfValue(value: unknown): Found {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Found;
}

/** A JSON pointer into the same document. Nothing is fetched. */
function resolve(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at;
}
