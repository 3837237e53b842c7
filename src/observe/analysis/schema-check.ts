// Checks a message against the official schemas of the protocol. They are loaded on first use and never on the hot path. Methods and
// extensions without a schema are not checked.

import { decodeText } from '../../base/decode-text.ts';
import { isObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/nesting.ts';
import type { FrameFact } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { type Misspelling, misspeltMember, type ZodForm } from './misspelt-members.ts';

export interface Issue {
  message: string;
  path: readonly PropertyKey[];
  /** For a union: the issues of each branch. */
  errors?: readonly (readonly Issue[])[];
}

interface Schema extends ZodForm {
  shape?: { method?: { value?: unknown } };
  safeParse(value: unknown): { success: true } | { success: false; error: { issues: readonly Issue[] } };
}

interface MethodSchemas {
  /** Schema of the request or notification. */
  asked: Schema;
  result: Schema | undefined;
}

const MOST_VIOLATIONS = 20;
const schemasByMethod = loadedOnce(loadSchemas);

/** Returns nothing for a frame that is not JSON: its description reports that. */
export async function frameViolations({ payload }: FrameFact, exchanges: readonly Exchange[]): Promise<string[]> {
  let json: unknown;
  try {
    json = JSON.parse(decodeText(payload));
  } catch {
    return [];
  }
  return isNestedTooDeeply(json) ? [] : schemaViolations(json, exchanges);
}

/** Returns sentences with the path of each violation. `exchanges`: the exchanges of the message, which give a response its method. */
export async function schemaViolations(json: unknown, exchanges: readonly Exchange[]): Promise<string[]> {
  const messages = Array.isArray(json) ? json : [json];
  const schemas = await schemasByMethod().catch(() => new Map<string, MethodSchemas>()); // without schemas nothing is checked
  return messages.flatMap((message) => check(message, exchanges, schemas)).slice(0, MOST_VIOLATIONS);
}

/** The violations of a result of this method. Empty for methods without a schema. */
export async function resultIssues(method: string, result: unknown): Promise<Issue[]> {
  const schema = (await schemasByMethod()).get(method)?.result;
  return schema ? issuesOf(schema, result) : [];
}

/** An optional member of a result, or of a request or notification, whose name is misspelt. */
export async function misspelling(
  method: string,
  kind: keyof MethodSchemas,
  value: unknown,
): Promise<Misspelling | undefined> {
  return misspeltMember((await schemasByMethod()).get(method)?.[kind], value);
}

function check(message: unknown, exchanges: readonly Exchange[], schemas: Map<string, MethodSchemas>): string[] {
  if (!isObject(message) || message.jsonrpc !== '2.0') return []; // reported by the description of the frame
  const { id, method, params, result } = message;
  if (typeof method === 'string') {
    const asked = schemas.get(method)?.asked;
    return asked ? violations(asked, { method, ...(params !== undefined && { params }) }, method) : [];
  }
  const request = exchanges.find((exchange) => exchange.id === id);
  if (!request || !isObject(result)) return [];
  // 2026-07-28: a result of another kind than the method's own, such as a question to the client.
  if (result.resultType !== undefined && result.resultType !== 'complete') return [];
  const schema = schemas.get(request.method)?.result;
  return schema ? violations(schema, result, `the result of ${request.method}`) : [];
}

function violations(schema: Schema, value: unknown, what: string): string[] {
  return issuesOf(schema, value).map(({ path, message }) => {
    const place = path.length > 0 ? ` at ${path.map(String).join('.')}` : '';
    return `Violates the schema of ${what}${place}: ${message}`;
  });
}

function issuesOf(schema: Schema, value: unknown): Issue[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => flatten(issue));
}

/** Reports only the closest branch of a union. If all branches expect another `type`, reports the type. */
function flatten(issue: Issue): Issue[] {
  const branches = issue.errors?.map((branch) => branch.flatMap(flatten)).filter((branch) => branch.length > 0) ?? [];
  const [closest] = branches.toSorted((a, b) => distance(a) - distance(b));
  if (!closest) return [issue];
  if (closest.some(expectsOther)) return [{ message: 'unknown type', path: [...issue.path, 'type'] }];
  return closest.map(({ message, path }) => ({ message, path: [...issue.path, ...path] }));
}

function distance(issues: readonly Issue[]): number {
  return issues.length + (issues.some(expectsOther) ? 1_000 : 0);
}

function expectsOther({ path }: Issue): boolean {
  return path.length === 1 && path[0] === 'type';
}

async function loadSchemas(): Promise<Map<string, MethodSchemas>> {
  const all = (await import('@modelcontextprotocol/core')) as unknown as Record<string, Schema | undefined>;
  const schemas = new Map<string, MethodSchemas>();
  for (const [name, asked] of Object.entries(all)) {
    const stem = /^(.+)(?:Request|Notification)Schema$/.exec(name)?.[1];
    const method = asked?.shape?.method?.value;
    if (stem === undefined || typeof method !== 'string') continue;
    const result = all[`${stem}ResultWithToolsSchema`] ?? all[`${stem}ResultSchema`];
    schemas.set(method, { asked: asked!, result });
  }
  return schemas;
}

/** Calls `load` once and keeps its value. After a failed load, the next call tries again. */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
