// Checks values against a JSON Schema and describes the first mismatch. The compiler is loaded when the first schema is
// compiled, so that a server whose tools have other validators never loads it.

import type { JsonSchema } from './types.ts';

/** Returns undefined if the value fits, otherwise the field that does not fit and the expectation. */
export type SchemaCheck = (value: unknown) => string | undefined;

const compiled = new WeakMap<JsonSchema, Promise<SchemaCheck>>();

/** Calls `run`, and throws if it takes too long. */
export type RunBounded = <T>(run: () => T) => T;

/** A short schema without these keywords is validated in linear time. Repeated references and patterns may take years. */
const slowKeywords = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/;
const LONGEST_FAST_SCHEMA = 4096;

/**
 * Compiles each schema object once. Rejects with a UsageError for an invalid schema. Pass `runBounded` for schemas from
 * others: compiling and validating may then throw its errors.
 */
export function compileJsonSchema(schema: JsonSchema, runBounded?: RunBounded): Promise<SchemaCheck> {
  let check = compiled.get(schema);
  if (!check) {
    check = compile(schema, runBounded && !isFast(schema) ? runBounded : (run) => run());
    compiled.set(schema, check);
  }
  return check;
}

function isFast(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return text.length <= LONGEST_FAST_SCHEMA && !slowKeywords.test(text);
}

async function compile(schema: JsonSchema, run: RunBounded): Promise<SchemaCheck> {
  const { compileWithAjv } = await import('./schema-compiler.ts');
  return compileWithAjv(schema, run);
}
