// Compiles a JSON Schema with Ajv. Remote references are never followed: a schema that needs one does not compile.

import type { ErrorObject } from 'ajv';
import { UsageError } from '../base/errors.ts';
import { textOf } from '../base/text-of.ts';
import type { RunBounded, SchemaCheck } from './json-schema.ts';
import type { JsonSchema } from './types.ts';

export async function compileWithAjv(schema: JsonSchema, run: RunBounded): Promise<SchemaCheck> {
  const Ajv = await loadAjv(schema);
  // Ids of different schemas must not collide. Only the compiled meta-schema is shared, because it takes the longest to compile.
  const ajv = new Ajv({ ...options, validateSchema: false });
  const validator = validatorOf(Ajv);
  try {
    const validate = run(() => {
      validator.validateSchema(schema, true);
      return ajv.compile(schema);
    });
    return (value) => run(() => (validate(value) ? undefined : describe(validate.errors ?? [])));
  } catch (cause) {
    throw new UsageError('INVALID_OPTION', `Not a usable JSON Schema: ${(cause as Error).message}`, { cause });
  }
}

const options = { strict: false, logger: false, validateFormats: false, allErrors: false, verbose: true } as const;

type AjvClass = Awaited<ReturnType<typeof loadAjv>>;

/** Uses JSON Schema 2020-12 unless the schema names draft-07. */
async function loadAjv(schema: JsonSchema) {
  if (textOf(schema.$schema ?? '').includes('draft-07')) return (await import('ajv')).Ajv;
  return (await import('ajv/dist/2020.js')).Ajv2020;
}

const validators = new Map<AjvClass, InstanceType<AjvClass>>();

/** The validator for schemas of this dialect. */
function validatorOf(Ajv: AjvClass): InstanceType<AjvClass> {
  let validator = validators.get(Ajv);
  if (!validator) {
    validator = new Ajv(options);
    validator.validateSchema({}); // compiles the meta-schema here: if that were aborted later, it would stay unfinished
    validators.set(Ajv, validator);
  }
  return validator;
}

function describe(errors: ErrorObject[]): string {
  const error = errors[0];
  if (!error) return 'does not fit its schema';
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return `${joined(path, params.missingProperty)} is required`;
    case 'additionalProperties':
      return `${joined(path, params.additionalProperty)} is not known${known(error)}`;
    case 'enum':
      return `${path || 'value'} must be one of ${JSON.stringify(params.allowedValues)}`;
    default:
      return `${path || 'value'} ${error.message}${got(error.data)}`;
  }
}

function joined(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function known(error: ErrorObject): string {
  const properties = (error.parentSchema as { properties?: object } | undefined)?.properties;
  return properties ? `; expected ${Object.keys(properties).join(', ') || 'nothing'}` : '';
}

function got(value: unknown): string {
  if (value === null) return ', not null';
  if (Array.isArray(value)) return ', not an array';
  return typeof value === 'object' ? '' : `, not ${JSON.stringify(value)?.slice(0, 60)}`;
}
