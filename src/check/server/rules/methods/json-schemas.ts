// Whether a schema of a tool is a valid JSON Schema, and whether a value fits it. Only the dialects that are known here are judged.

import type { JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { compileJsonSchema, type SchemaCheck } from '../../../../mcp/json-schema.ts';
import type { Revision } from '../../../../mcp/revisions.ts';
import { runBounded, TakesTooLong } from '../../../../wire/process/run-bounded.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/** A server lists the same schemas in each revision, and each takes long to compile. */
const compiled = new Map<string, Promise<SchemaCheck>>();
const MOST_COMPILED = 1_000;

/** Undefined for a valid schema, and for one that cannot be judged. */
export async function schemaProblem(schema: JsonObject, revision: Revision): Promise<string | undefined> {
  const { $schema } = schema;
  if ($schema !== undefined && !/draft-07|2020-12/.test(textOf($schema))) return undefined;
  const problem = await problemOf(schema);
  if (problem === undefined || isRemoteReference(problem)) return undefined;
  // Revisions before 2025-11-25 name no dialect: a schema of either is valid.
  if ($schema === undefined && revision < '2025-11-25') {
    if ((await problemOf({ ...schema, $schema: DRAFT_07 })) === undefined) return undefined;
  }
  return problem;
}

/** What does not fit the schema. Undefined also if the schema is not valid, or takes too long: that is the subject of another rule. */
export async function misfit(schema: JsonObject, value: unknown): Promise<string | undefined> {
  try {
    return (await compile(schema))(value);
  } catch {
    return undefined;
  }
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
