// What a tool takes and gives, as its author wrote it down: any Standard Schema that can express itself as JSON Schema
// (zod, valibot, arktype), or plain JSON Schema. Both become the same thing: a JSON Schema to show, and a check to run.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '../base/errors.ts';
import { compileJsonSchema, type SchemaCheck } from './json-schema.ts';
import type { JsonSchema } from './types.ts';

/** A validator that also gives JSON Schema. */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

export type AnySchema = StandardSchema | JsonSchema;

/** What a handler gets for a schema: what the validator makes of it, or plain data. */
export type OutputOf<S> = S extends StandardSchemaV1<unknown, infer Output> ? Output : Record<string, unknown>;
/** What somebody must give to satisfy a schema. */
export type InputOf<S> = S extends StandardSchemaV1<infer Input, unknown> ? Input : unknown;

export type Checked = { value: unknown; problem?: undefined } | { problem: string };

export interface CompiledSchema {
  readonly json: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

export function compileSchema(schema: AnySchema, side: 'input' | 'output', owner: string): CompiledSchema {
  return '~standard' in schema ? fromStandard(schema as StandardSchema, side, owner) : fromJson(schema as JsonSchema);
}

function fromStandard(schema: StandardSchema, side: 'input' | 'output', owner: string): CompiledSchema {
  const { validate, jsonSchema, vendor } = schema['~standard'];
  if (!jsonSchema) {
    throw new UsageError('INVALID_OPTION', `The ${side} schema of ${owner} (${vendor}) does not give JSON Schema`, {
      hint:
        vendor === 'valibot'
          ? 'Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema.'
          : 'Use a version of the library that implements Standard JSON Schema, or give plain JSON Schema.',
    });
  }
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
  // Some libraries begin their messages with it themselves.
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
