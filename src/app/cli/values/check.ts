// Validates the names and types of arguments against a schema before the call. The server validates the rest. Schemas come from servers, so the
// search never throws and its time is limited.

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../base/json-object.ts';
import { didYouMean } from '../../../config/nearest.ts';
import { alternatives, objectSchemas, propertiesOf, requiredOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';
import { invalidOption } from '../invocation.ts';
import { isOpen, propertySchema } from './property-schema.ts';
import { choicesOf, describeType } from './typed-value.ts';

const DEEPEST = 16;
/** Limit for compared alternatives. Only the server validates a schema with more of them. */
const MOST_ALTERNATIVES = 1000;
const MOST_SHOWN = 4;

/** Reports misspelled and missing names, with a suggestion. */
export function checkArguments(args: Record<string, unknown>, schema: JsonSchema, tool: string): void {
  const { unknown, missing, suggestion } = findFaults(args, schema, { root: schema, left: MOST_ALTERNATIVES });
  if (unknown.length + missing.length === 0) return;
  const faults = [
    ...(missing.length > 0 ? [`needs ${list(missing)}`] : []),
    ...(unknown.length > 0 ? [`does not take ${list(unknown)}`] : []),
  ];
  throw invalidOption(
    `${tool} ${faults.join(', and ')}`,
    `${suggestion ? `${suggestion} ` : ''}It takes: ${describeParameters(schema)}`,
  );
}

type Arguments = Record<string, unknown>;

interface Look {
  root: JsonSchema;
  left: number;
}

interface Faults {
  unknown: string[];
  missing: string[];
  suggestion: string | undefined;
}

/** Uses the best match among alternatives, because a value must match only one of them. */
function findFaults(args: Arguments, type: unknown, look: Look, path = '', depth = 0): Faults {
  let best: { faults: Faults; misfits: number } | undefined;
  for (const schema of objectSchemas(type, look.root)) {
    if (look.left-- <= 0) return noFaults();
    const faults = faultsIn(args, schema, look, path, depth);
    const misfits = (faults.unknown.length + faults.missing.length) * 2 + (contradicts(args, schema) ? 1 : 0);
    if (best === undefined || misfits < best.misfits) best = { faults, misfits };
    if (misfits === 0) break;
  }
  return best!.faults;
}

function noFaults(): Faults {
  return { unknown: [], missing: [], suggestion: undefined };
}

/** The value differs from the constant that distinguishes the alternatives. */
function contradicts(args: Arguments, schema: JsonSchema): boolean {
  return Object.entries(propertiesOf(schema)).some(
    ([name, property]) =>
      isObject(property) && 'const' in property && Object.hasOwn(args, name) && args[name] !== property.const,
  );
}

function faultsIn(args: Arguments, schema: JsonSchema, look: Look, path: string, depth: number): Faults {
  const known = Object.keys(propertiesOf(schema));
  const strangers = Object.keys(args).filter((name) => !isOpen(schema) && propertySchema(schema, name) === undefined);
  const faults: Faults = {
    unknown: strangers.map((name) => path + name),
    missing: requiredOf(schema)
      .filter((name) => !Object.hasOwn(args, name))
      .map((name) => path + name),
    suggestion: strangers.length === 1 && strangers[0]!.length > 2 ? didYouMean(strangers[0]!, known) : undefined,
  };
  for (const [name, value] of Object.entries(args)) {
    if (!isObject(value) || depth > DEEPEST) continue;
    const inside = findFaults(value, propertySchema(schema, name), look, `${path}${name}.`, depth + 1);
    faults.unknown.push(...inside.unknown);
    faults.missing.push(...inside.missing);
    faults.suggestion ??= inside.suggestion;
  }
  return faults;
}

/** Describes parameters as `a=<number> [mode=<one of: fast, slow>]`, with ` or ` between alternatives. */
export function describeParameters(schema: JsonSchema): string {
  const tops = objectSchemas(schema, schema).slice(0, MOST_SHOWN);
  return [...new Set(tops.map((top) => describeObject(top, schema)))].join(' or ');
}

function describeObject(top: JsonSchema, schema: JsonSchema): string {
  const required = new Set(requiredOf(top));
  const parameters = Object.entries(propertiesOf(top)).map(([name, type]) => {
    const parameter = `${name}=<${describeType(type, schema)}>`;
    return required.has(name) ? parameter : `[${parameter}]`;
  });
  return parameters.join(' ') || (isOpen(top) ? 'any' : 'nothing');
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

const MOST_VALUES = 10_000;
const LONGEST_SHOWN = 60;

interface WrongType {
  /** A path, such as `filter.tags.0`. */
  name: string;
  /** Continues a sentence that begins with the name. */
  message: string;
}

/** The first value whose type differs from the schema, compared as `typed-value.ts` does for text. */
export function findWrongType(args: Readonly<Record<string, unknown>>, schema: JsonSchema): WrongType | undefined {
  return search(args, schema, [], { root: schema, left: MOST_VALUES });
}

function search(value: unknown, schema: unknown, path: readonly string[], look: Look): WrongType | undefined {
  if (look.left-- <= 0) return undefined;
  const fitting = alternatives(schema, look.root).filter((choice) => isOfType(value, choice));
  if (fitting.length === 0 && path.length > 0) {
    const text = JSON.stringify(value);
    const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
    return { name: path.join('.'), message: `must be ${describeType(schema, look.root)}, not ${shown}` };
  }
  let first: WrongType | undefined;
  for (const choice of fitting) {
    const wrong = searchInside(value, choice, path, look);
    if (wrong === undefined) return undefined;
    first ??= wrong;
  }
  return first;
}

function searchInside(value: unknown, schema: JsonSchema, path: readonly string[], look: Look): WrongType | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inside] of Object.entries(value)) {
    if (look.left <= 0) return undefined;
    const type = Array.isArray(value) ? schema.items : propertySchema(schema, key);
    const wrong = search(inside, type, [...path, key], look);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isOfType(value: unknown, schema: JsonSchema): boolean {
  const named = choicesOf(schema);
  if (named.length > 0) return named.some((choice) => isDeepStrictEqual(choice, value));
  return types.get(schema.type)?.(value) ?? true;
}

const types: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', Number.isInteger],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isObject],
]);
