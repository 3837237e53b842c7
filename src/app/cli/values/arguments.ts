// Converts the words of a command line to the arguments of a tool, typed by its schema and validated before the call.

import type { UsageError } from '../../../base/errors.ts';
import { setOwn } from '../../../base/json-object.ts';
import { objectSchema, objectSchemas, propertiesOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';
import { invalidOption } from '../invocation.ts';
import { checkArguments, describeParameters, findWrongType } from './check.ts';
import { propertyOfAny } from './property-schema.ts';
import { acceptsList, itemSchema, TypeMismatch, typedValue } from './typed-value.ts';
import { type Assignment, parseJson, readAssignment, readSource, readStdin } from './word.ts';

type Arguments = Record<string, unknown>;

export interface ArgumentsOptions {
  tool: string;
  schema: JsonSchema;
  /** Value of `--args`: JSON, `@file` or `-`. */
  args?: string | undefined;
  unchecked?: boolean;
  /** The server converts types itself, as in LiteMCP: JSON values of other types are sent too. */
  typesAreHints?: boolean;
}

export async function readArguments(words: readonly string[], options: ArgumentsOptions): Promise<Arguments> {
  const { schema, tool } = options;
  const args: Arguments = {};
  const bases = [...(options.args === undefined ? [] : [options.args]), ...words.filter((word) => word === '-')];
  for (const base of bases) {
    for (const [name, value] of Object.entries(await readObject(base))) setOwn(args, name, value);
  }
  const wrong = options.unchecked || options.typesAreHints ? undefined : findWrongType(args, schema);
  if (wrong) throw wrongType(wrong.name, wrong.message, options);
  const given = new Set<string>();
  for (const word of words.filter((each) => each !== '-')) {
    const assignment = readAssignment(word);
    if (!assignment) throw notAnAssignment(word, options);
    try {
      await assign(args, assignment, options, given);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      throw wrongType(assignment.name, error.message, options);
    }
  }
  if (!options.unchecked) checkArguments(args, schema, tool);
  return args;
}

/** Reads the value of `--args`: JSON, `@file` or `-`. */
export async function readObject(source: string): Promise<Arguments> {
  const text = source === '-' ? (await readStdin()).toString() : await readTextSource(source);
  const value = parseJson(text, source === '-' ? 'The text on stdin' : '--args');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
  throw invalidOption('Arguments must be a JSON object', 'For example: {"name": "value"}');
}

async function readTextSource(value: string): Promise<string> {
  const source = await readSource(value);
  return 'text' in source ? source.text : source.bytes.toString();
}

async function assign(
  args: Arguments,
  { name, isJson, value }: Assignment,
  { schema, unchecked = false }: ArgumentsOptions,
  given: Set<string>,
) {
  const place = findPlace(args, name, schema);
  const read = async (type: unknown): Promise<unknown> => {
    const source = await readSource(value);
    if (isJson) return parseJson('text' in source ? source.text : source.bytes.toString(), `The value of "${name}"`);
    const encoded = objectSchema(type, schema).contentEncoding === 'base64' && value.startsWith('@');
    if ('bytes' in source || encoded) {
      const bytes = 'bytes' in source ? source.bytes : Buffer.from(source.text);
      if (encoded) return bytes.toString('base64');
      throw new TypeMismatch(`cannot be read from ${value.slice(1)}, which is not text`);
    }
    return unchecked ? typedIfPossible(source.text, type, schema) : typedValue(source.text, type, schema);
  };
  if (!given.has(name)) {
    given.add(name);
    setOwn(place.holder, place.key, await read(place.schema));
    return;
  }
  // A repeated name makes a list if the schema allows one.
  if (place.schema !== undefined && !acceptsList(place.schema, schema))
    throw new TypeMismatch('is given twice and is not a list');
  const before = place.holder[place.key];
  const more = await read(itemSchema(place.schema, schema));
  const list: unknown = [...(Array.isArray(before) ? before : [before]), more];
  setOwn(place.holder, place.key, list);
}

/** A value that does not match a type of the schema is sent as text. */
function typedIfPossible(text: string, type: unknown, schema: JsonSchema): unknown {
  try {
    return typedValue(text, type, schema);
  } catch (error) {
    if (error instanceof TypeMismatch) return text;
    throw error;
  }
}

interface Place {
  holder: Arguments;
  key: string;
  schema: unknown;
}

/** `a.b.0` is a path through objects and lists, unless a property has that name. Missing parts are created. */
function findPlace(args: Arguments, name: string, schema: JsonSchema): Place {
  const isWhole = objectSchemas(schema, schema).some((top) => Object.hasOwn(propertiesOf(top), name));
  const parts = isWhole ? [name] : name.split('.');
  let holder = args;
  let type: unknown = schema;
  for (const [at, key] of parts.entries()) {
    const inside = Array.isArray(holder) ? itemSchema(type, schema) : propertyOfAny(type, key, schema);
    if (Array.isArray(holder) && !(Number(key) <= holder.length && /^\d+$/.test(key))) {
      throw new TypeMismatch(`needs an index from 0 to ${holder.length} for "${key}": it is a list`);
    }
    if (at === parts.length - 1) return { holder, key, schema: inside };
    const fresh: unknown = acceptsList(inside, schema) ? [] : {};
    if (!Object.hasOwn(holder, key)) setOwn(holder, key, fresh);
    const next = holder[key];
    if (typeof next !== 'object' || next === null)
      throw new TypeMismatch(`already has a value at "${key}" that is not an object`);
    holder = next as Arguments;
    type = inside;
  }
  throw new TypeMismatch('has no name');
}

function wrongType(name: string, message: string, { tool, schema }: ArgumentsOptions): UsageError {
  return invalidOption(`"${name}" of ${tool} ${message}`, `It takes: ${describeParameters(schema)}`);
}

function notAnAssignment(word: string, { tool, schema }: ArgumentsOptions): UsageError {
  return invalidOption(
    `"${word}" is not an argument of ${tool}: write arguments as name=value`,
    `It takes: ${describeParameters(schema)}`,
  );
}
