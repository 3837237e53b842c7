// A raw shape is an object whose members are schemas, as SDK 1.x accepts it (`{ city: z.string() }`). It becomes one
// object schema, whichever library its members come from. Members that are not in the shape are dropped, as zod does.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '../../base/errors.ts';
import { setOwn } from '../../base/json-object.ts';
import type { JsonSchema } from '../types.ts';
import type { StandardSchema } from './schema.ts';

export type RawShape = Readonly<Record<string, StandardSchema>>;

type Optional<S, Side extends 'input' | 'output'> = {
  [Name in keyof S]: undefined extends Value<S[Name], Side> ? Name : never;
}[keyof S];
type Value<S, Side extends 'input' | 'output'> =
  S extends StandardSchemaV1<infer Input, infer Output> ? (Side extends 'input' ? Input : Output) : never;

/** The type that a shape describes. A member that may be undefined may be omitted. */
export type ShapeValue<S, Side extends 'input' | 'output'> = {
  -readonly [Name in Exclude<keyof S, Optional<S, Side>>]: Value<S[Name], Side>;
} & { -readonly [Name in Optional<S, Side>]?: Value<S[Name], Side> };

/** Whether at least one member is a schema of a library, which plain JSON Schema never contains. */
export function isRawShape(schema: object): schema is RawShape {
  return typeof schema === 'object' && Object.values(schema).some(isStandard);
}

export function objectOfShape(shape: RawShape, owner: string): StandardSchema {
  for (const [name, member] of Object.entries(shape)) {
    if (!isStandard(member)) {
      throw new UsageError('INVALID_OPTION', `"${name}" in the schema of ${owner} is not a schema, but others are`, {
        hint: 'Every member of a shape is a schema of a library (zod, valibot, arktype).',
      });
    }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'shape',
      validate: (value) => validateShape(shape, value),
      jsonSchema: {
        input: () => shapeToJson(shape, 'input', owner),
        output: () => shapeToJson(shape, 'output', owner),
      },
    },
  };
}

function isStandard(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

type Result = StandardSchemaV1.Result<unknown>;

function validateShape(shape: RawShape, value: unknown): Result | Promise<Result> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { issues: [{ message: 'must be an object' }] };
  }
  const names = Object.keys(shape);
  const given = value as Record<string, unknown>;
  const results = names.map((name) =>
    shape[name]!['~standard'].validate(Object.hasOwn(given, name) ? given[name] : undefined),
  );
  if (!results.some((result) => result instanceof Promise)) return joined(names, results as Result[]);
  return Promise.all(results).then((settled) => joined(names, settled));
}

function joined(names: string[], results: Result[]): Result {
  const value: Record<string, unknown> = {};
  const issues: StandardSchemaV1.Issue[] = [];
  for (const [n, result] of results.entries()) {
    const name = names[n]!;
    if (result.issues) {
      issues.push(...result.issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })));
    } else if (result.value !== undefined) {
      setOwn(value, name, result.value);
    }
  }
  return issues.length > 0 ? { issues } : { value };
}

function shapeToJson(shape: RawShape, side: 'input' | 'output', owner: string): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const { $schema: _dialect, ...json } = memberToJson(name, schema, side, owner);
    properties[name] = json;
    if (!mayBeAbsent(schema)) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function memberToJson(name: string, schema: StandardSchema, side: 'input' | 'output', owner: string): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (!jsonSchema) throw noJsonSchema(`"${name}" in the ${side} schema of ${owner}`, vendor);
  const json = jsonSchema[side]({ target: 'draft-2020-12' });
  // References of a member start at the root of that member, which is not the root of the whole schema.
  if (!JSON.stringify(json).includes('"$ref"')) return json;
  throw new UsageError('INVALID_OPTION', `"${name}" in the ${side} schema of ${owner} has references`, {
    hint: 'Give one object schema instead of a shape, such as z.object({ … }).',
  });
}

function mayBeAbsent(schema: StandardSchema): boolean {
  const result = schema['~standard'].validate(undefined);
  return !(result instanceof Promise) && result.issues === undefined;
}

export function noJsonSchema(what: string, vendor: string): UsageError {
  return new UsageError('INVALID_OPTION', `${what} (${vendor}) does not provide JSON Schema`, {
    hint:
      vendor === 'valibot'
        ? 'Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema.'
        : 'Use a version of the library that implements Standard JSON Schema, or pass plain JSON Schema.',
  });
}
