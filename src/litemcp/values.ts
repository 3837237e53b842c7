// Typed values on top of strings. A LiteMCP `type` is a free-form hint; the words below are recognised in upper or lower case. Text of
// any other type remains text. Parsing a printed value returns an equal value.

import { DEFAULT_MAX_FRAME_VALUES, ValueBudget } from '../base/count-json-values.ts';
import { toError } from '../base/errors.ts';
import { isObject } from '../base/json-object.ts';
import { requireJson } from '../base/to-json.ts';
import type { CallResultResponseContent } from './call-result.ts';
import { malformed } from './shape.ts';

/** The words for each kind of value, and its parser. */
const kinds = {
  number: { words: ['number', 'float', 'double', 'decimal'], parse: parseNumber },
  integer: { words: ['integer', 'int', 'long'], parse: parseInteger },
  boolean: { words: ['boolean', 'bool'], parse: parseBoolean },
  object: { words: ['object', 'dict', 'dictionary', 'map'], parse: parseObject },
  array: { words: ['array', 'list'], parse: parseArray },
  json: { words: ['json'], parse: parseJson },
} as const satisfies Record<string, { words: readonly string[]; parse: ValueParser }>;

export type Kind = keyof typeof kinds;
type KindOf<Word> = { [K in Kind]: Word extends (typeof kinds)[K]['words'][number] ? K : never }[Kind];

/** The TypeScript type of a value of this type. */
export type ValueOf<Type extends string> = string extends Type
  ? unknown
  : [KindOf<Lowercase<Type>>] extends [never]
    ? string
    : ReturnType<(typeof kinds)[KindOf<Lowercase<Type>>]['parse']>;

const kindByWord = new Map<string, Kind>(
  (Object.keys(kinds) as Kind[]).flatMap((kind) => kinds[kind].words.map((word): [string, Kind] => [word, kind])),
);

/** Returns undefined for an unknown word. */
export function kindOf(type: string): Kind | undefined {
  return kindByWord.get(type.trim().toLowerCase());
}

/** JSON inside a string is not counted with its frame, so `budget` covers all texts of a message together. */
export type ValueParser = (text: string, budget: ValueBudget) => unknown;

/** Throws a PeerError for text that is not valid for its type, or has more than a million JSON values. */
export function parseValue<Type extends string>(type: Type, text: string): ValueOf<Type> {
  return parserOf(type)(text, new ValueBudget(DEFAULT_MAX_FRAME_VALUES)) as ValueOf<Type>;
}

export function parserOf(type: string): ValueParser {
  const kind = kindOf(type);
  return kind === undefined ? (text) => text : kinds[kind].parse;
}

/** Throws a UsageError for a value that JSON cannot represent: functions, circular objects, too deep nesting. */
export function printValue(value: unknown): CallResultResponseContent {
  const type = value === null ? 'json' : Array.isArray(value) ? 'array' : typeof value;
  return { type: type === 'bigint' ? 'integer' : type, data: textOfValue(value) };
}

export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return requireJson(value);
}

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function parseNumber(text: string): number {
  const trimmed = text.trim();
  const value = DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!Number.isFinite(value)) throw malformed(`${quote(text)} is not a number`);
  return value;
}

function parseInteger(text: string): number {
  const value = parseNumber(text);
  if (!Number.isInteger(value)) throw malformed(`${quote(text)} is not an integer`);
  if (!Number.isSafeInteger(value)) throw malformed(`${quote(text)} is too large to be exact`);
  return value;
}

function parseBoolean(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word !== 'true' && word !== 'false') throw malformed(`${quote(text)} is neither true nor false`);
  return word === 'true';
}

function parseObject(text: string, budget: ValueBudget): Record<string, unknown> {
  const value = parseJson(text, budget);
  if (!isObject(value)) throw malformed(`${quote(text)} is not a JSON object`);
  return value;
}

function parseArray(text: string, budget: ValueBudget): unknown[] {
  const value = parseJson(text, budget);
  if (!Array.isArray(value)) throw malformed(`${quote(text)} is not a JSON array`);
  return value;
}

function parseJson(text: string, budget: ValueBudget): unknown {
  requireRoom(text, budget);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`${quote(text)} is not JSON: ${toError(error).message}`);
  }
}

/** Call this before parsing a text. Throws a PeerError if the text has more values than are left. */
export function requireRoom(text: string, budget: ValueBudget): void {
  if (!budget.take(text)) throw malformed(`${quote(text)} exceeds the limit of ${budget.most} JSON values`);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
