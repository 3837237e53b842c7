// Validates schemas of tools, and values against them. Schemas of unknown dialects are not judged.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { compileJsonSchema, type SchemaCheck } from '../../../../mcp/json-schema.ts';
import type { Revision } from '../../../../mcp/revisions.ts';
import { runBounded, TakesTooLong } from '../../../../wire/process/run-bounded.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/** Cache: a server lists the same schemas in each revision, and compiling is slow. */
const compiled = new Map<string, Promise<SchemaCheck>>();
const MOST_COMPILED = 1_000;

/** Resolves to undefined for a valid schema and for one that cannot be judged. */
export async function schemaProblem(schema: JsonObject, revision: Revision): Promise<string | undefined> {
  const { $schema } = schema;
  if ($schema !== undefined && !/draft-07|2020-12/.test(textOf($schema))) return undefined;
  const problem = await problemOf(schema);
  if (problem === undefined || isRemoteReference(problem)) return undefined;
  // Revisions before 2025-11-25 do not specify a dialect: a schema of either dialect is valid.
  if ($schema === undefined && revision < '2025-11-25') {
    if ((await problemOf({ ...schema, $schema: DRAFT_07 })) === undefined) return undefined;
  }
  return problem;
}

/** Why the value does not conform. Also undefined if the schema is invalid or too slow: another rule reports that. */
export async function misfit(schema: JsonObject, value: unknown): Promise<string | undefined> {
  try {
    return (await compile(schema))(value);
  } catch {
    return undefined;
  }
}

/** Resolves to false if the value does not conform, or the schema cannot be used. */
export async function accepts(schema: JsonObject, value: unknown): Promise<boolean> {
  try {
    return (await compile(isDraft04(schema) ? fromDraft04(schema) : schema))(value) === undefined;
  } catch {
    return false;
  }
}

function isDraft04({ $schema }: JsonObject): boolean {
  return /draft-0[34]/.test(textOf($schema ?? ''));
}

/** Converts a schema of draft-04, in which the exclusive limits are booleans beside the limits. */
function fromDraft04(schema: JsonObject): JsonObject {
  const limits = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' } as const;
  const text = JSON.stringify(schema, (_, value: unknown) => {
    if (!isObject(value)) return value;
    const rest = { ...value };
    if (typeof rest.$schema === 'string') delete rest.$schema;
    for (const [exclusive, limit] of Object.entries(limits)) {
      if (typeof rest[exclusive] !== 'boolean') continue;
      const isExclusive = rest[exclusive];
      delete rest[exclusive];
      if (!isExclusive || typeof rest[limit] !== 'number') continue;
      rest[exclusive] = rest[limit];
      delete rest[limit];
    }
    return rest;
  });
  return JSON.parse(text) as JsonObject;
}

async function problemOf(schema: JsonObject): Promise<string | undefined> {
  return compile(schema).then(
    () => undefined,
    (error: Error) =>
      error.cause instanceof TakesTooLong ? undefined : error.message.replace('Not a usable JSON Schema: ', ''),
  );
}

function compile(schema: JsonObject): Promise<SchemaCheck> {
  const text = JSON.stringify(schema);
  let check = compiled.get(text);
  if (!check) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    check = compileJsonSchema(schema, runBounded);
    compiled.set(text, check);
  }
  return check;
}

/** References to other documents are never followed. */
function isRemoteReference(problem: string): boolean {
  return /can't resolve reference (?!#)\S*:\/\//.test(problem);
}
