// Compiles the input and output schemas of a tool: a Standard Schema that provides JSON Schema (zod, valibot, arktype),
// an object of such schemas (a raw shape), or plain JSON Schema. Each becomes a JSON Schema to publish and a check to
// run. Anything else is refused when it is declared.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '../../base/errors.ts';
import { jsonKind } from '../../base/json-object.ts';
import { compileJsonSchema, type SchemaCheck } from '../json-schema.ts';
import type { JsonSchema } from '../types.ts';
import { isRawShape, noJsonSchema, objectOfShape, type RawShape, type ShapeValue } from './raw-shape.ts';

/** A validator that also provides JSON Schema. */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

export type AnySchema = StandardSchema | RawShape | JsonSchema;

/** The type that a handler receives for a schema: the output of the validator, or plain data. */
export type OutputOf<S> =
  S extends StandardSchemaV1<unknown, infer Output>
    ? Output
    : IsShape<S> extends true
      ? ShapeValue<S, 'output'>
      : Record<string, unknown>;
/** The type of values that a schema accepts. */
export type InputOf<S> =
  S extends StandardSchemaV1<infer Input, unknown> ? Input : IsShape<S> extends true ? ShapeValue<S, 'input'> : unknown;
/** True for an object with at least one member whose members are all schemas. */
type IsShape<S> = [keyof S] extends [never]
  ? false
  : S[keyof S] extends StandardSchemaV1
    ? IsNotNever<S[keyof S]>
    : false;
type IsNotNever<T> = [T] extends [never] ? false : true;

export type Checked = { value: unknown; problem?: undefined } | { problem: string };

export interface CompiledSchema {
  readonly json: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

export function compileSchema(schema: AnySchema, side: 'input' | 'output', owner: string): CompiledSchema {
  const isSchema = typeof schema === 'function' || (typeof schema === 'object' && schema !== null);
  if (!isSchema || Array.isArray(schema)) throw noSchema(`is ${jsonKind(schema)}`, side, owner);
  if ('~standard' in schema) return fromStandard(schema as StandardSchema, side, owner);
  if (isRawShape(schema)) return fromStandard(objectOfShape(schema, owner), side, owner);
  return fromJson(checkPlainSchema(schema as JsonSchema, side, owner));
}

/** Arguments of a tool are always an object: throws for a schema that never matches an object. */
export function mustTakeObjects({ json }: CompiledSchema, owner: string): void {
  if (fitsObjects(json)) return;
  throw new UsageError(
    'INVALID_OPTION',
    `The input schema of ${owner} does not accept an object: ${describeTypes(json)}`,
    {
      hint: 'The arguments of a tool are an object. Declare its members: z.object({ text: z.string() }).',
    },
  );
}

function fitsObjects(json: JsonSchema): boolean {
  const { type, anyOf, oneOf } = json;
  if (type !== undefined) return Array.isArray(type) ? type.includes('object') : type === 'object';
  return [anyOf, oneOf].every((branches) => !Array.isArray(branches) || branches.some(fitsObjects));
}

function describeTypes({ type }: JsonSchema): string {
  return type === undefined ? 'none of its alternatives is an object' : `its type is ${JSON.stringify(type)}`;
}

/** Every JSON Schema that constrains or describes a value has at least one of these keywords. */
const keywords =
  /^(?:\$\w+|type|\w*[pP]ropert(?:y|ies)\w*|required|dependent\w+|dependencies|\w*[iI]tems|contains|enum|const|anyOf|oneOf|allOf|not|if|title|description|default|examples|definitions|format|pattern|multipleOf|(?:min|max|exclusiveM)\w+)$/;

/** `{ city: 'string' }` is valid JSON Schema but checks nothing, so it is surely a mistake. */
function checkPlainSchema(json: JsonSchema, side: 'input' | 'output', owner: string): JsonSchema {
  const names = Object.keys(json);
  if (names.length === 0 || names.some((name) => keywords.test(name))) return json;
  throw noSchema(`has no JSON Schema keyword, only ${names.slice(0, 5).join(', ')}`, side, owner);
}

function noSchema(why: string, side: string, owner: string): UsageError {
  return new UsageError('INVALID_OPTION', `The ${side} schema of ${owner} ${why}`, {
    hint: "Give a schema of zod, valibot or arktype, an object of such schemas, or JSON Schema: { type: 'object', properties: { … } }.",
  });
}

function fromStandard(schema: StandardSchema, side: 'input' | 'output', owner: string): CompiledSchema {
  const { validate, jsonSchema, vendor } = schema['~standard'];
  if (!jsonSchema) throw noJsonSchema(`The ${side} schema of ${owner}`, vendor);
  return {
    json: jsonSchema[side]({ target: 'draft-2020-12' }),
    check(value) {
      const result = validate(value);
      return result instanceof Promise ? result.then(toChecked) : toChecked(result);
    },
  };
}

function toChecked(result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { value: result.value };
  return { problem: result.issues.slice(0, 5).map(describeIssue).join('; ') };
}

function describeIssue(issue: StandardSchemaV1.Issue): string {
  const path = issue.path?.map((step) => (typeof step === 'object' ? step.key : step)).join('.');
  // Some libraries already begin their messages with the path.
  return path && !issue.message.startsWith(`${path} `) ? `${path}: ${issue.message}` : issue.message;
}

function fromJson(json: JsonSchema): CompiledSchema {
  let ready: SchemaCheck | undefined;
  const run = (check: SchemaCheck, value: unknown): Checked => {
    const problem = check(value);
    return problem === undefined ? { value } : { problem };
  };
  return {
    json,
    check(value) {
      if (ready) return run(ready, value);
      return compileJsonSchema(json).then((check) => {
        ready = check;
        return run(check, value);
      });
    },
  };
}
