// Checks messages against the official schemas of the protocol, which are loaded on first use. Methods and extensions without a schema
// are not checked.

import { decodeText } from '../../base/decode-text.ts';
import { isObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { spellingOf } from '../../base/wrong-member.ts';
import type { FlowEvent, FrameEvent, FrameFact } from '../flow/event.ts';
import type { Analysis } from './analysis.ts';
import type { Exchange } from './exchange.ts';
import { httpProblems, httpWords } from './http-problems.ts';

export interface Issue {
  message: string;
  path: readonly PropertyKey[];
  /** The issues of each branch of a union. */
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
  if (!isObject(message) || message.jsonrpc !== '2.0') return []; // the description of the frame reports this
  const { id, method, params, result } = message;
  if (typeof method === 'string') {
    const asked = schemas.get(method)?.asked;
    return asked ? violations(asked, { method, ...(params !== undefined && { params }) }, method) : [];
  }
  const request = exchanges.find((exchange) => exchange.id === id);
  if (!request || !isObject(result)) return [];
  // 2026-07-28: a result of another kind than the method's own, such as a question to the client.
  if (result.resultType !== undefined && result.resultType !== 'complete') return [];
  // The schemas have the tasks of 2025-11-25, whose results have no type.
  if (request.method.startsWith('tasks/') && result.resultType !== undefined) return [];
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

interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** The part of a Zod schema that describes its structure. */
export interface ZodForm {
  readonly _zod?: { readonly def: ZodDefinition };
}

interface ZodDefinition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, ZodForm>>;
  readonly innerType?: ZodForm;
  readonly element?: ZodForm;
  readonly options?: readonly ZodForm[];
  readonly values?: readonly unknown[];
}

/** Objects that the schema leaves open. */
const open = new Set(['_meta', 'inputSchema', 'outputSchema', 'structuredContent', 'arguments']);
const optional = new Set(['optional', 'default']);

/**
 * The first misspelt optional member, such as `next_cursor` for `nextCursor`: readers ignore it, so its value is lost silently. A
 * missing required member is reported by the schema check.
 */
export function misspeltMember(schema: ZodForm | undefined, value: unknown): Misspelling | undefined {
  const { type, shape, innerType, element, options } = schema?._zod?.def ?? { type: 'unknown' };
  if (innerType) return misspeltMember(innerType, value);
  if (options) return firstOf(alternatives(options, value), (each) => misspeltMember(each, value));
  if (element) return Array.isArray(value) ? firstOf(value, (each) => misspeltMember(element, each)) : undefined;
  if (type !== 'object' || !shape || !isObject(value)) return undefined;
  return firstOf(Object.entries(shape), ([meant, form]) => {
    if (open.has(meant)) return undefined;
    if (value[meant] !== undefined) return misspeltMember(form, value[meant]);
    const name = optional.has(form._zod?.def.type ?? '') ? spellingOf(meant, value) : undefined;
    return name === undefined || Object.hasOwn(shape, name) ? undefined : { name, meant };
  });
}

/** The variants of a union that the `type` of the value selects. All of them if `type` does not distinguish the variants. */
function alternatives(options: readonly ZodForm[], value: unknown): readonly ZodForm[] {
  const typeOf = (form: ZodForm) => form._zod?.def.shape?.type?._zod?.def.values;
  if (!options.some(typeOf)) return options;
  return options.filter((form) => isObject(value) && typeOf(form)?.includes(value.type));
}

function firstOf<T, R>(all: Iterable<T>, find: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Describes the problems of one event as sentences for the user. */
export async function eventProblems(event: FlowEvent, analysis: Analysis): Promise<string[]> {
  switch (event.kind) {
    case 'fault':
      return [faultWords[event.code]];
    case 'frame':
      return frameProblems(event, analysis);
    case 'exit':
      return event.exitCode === 0 ? [] : ['The process exited with an error. Its stderr shows its last output.'];
    case 'http':
      return httpProblems(event).map((problem) => httpWords[problem][1]);
    default:
      return [];
  }
}

const faultWords = {
  FRAME_TOO_LONG: 'The message was longer than maxFrameBytes. It was skipped, and only its beginning is shown.',
  FRAME_TRUNCATED: 'The stream ended in the middle of this message.',
  FRAME_LENGTH_INVALID: 'The length prefix of the message is invalid, so the next message cannot be found.',
};

async function frameProblems(event: FrameEvent, analysis: Analysis): Promise<string[]> {
  const { kind, messages, noise, lite } = analysis.describe(event);
  if (lite) return [];
  const problems: string[] = [];
  if (kind === 'noise' && event.http) problems.push('The body of the response is not a message.');
  else if (kind === 'noise')
    problems.push(
      'The server printed non-protocol text to stdout. Strict hosts close the connection when they read it.',
    );
  else if (noise !== undefined)
    problems.push(`Text precedes the message on the same line: ${JSON.stringify(noise.slice(0, 200))}`);
  for (const { problem } of messages) if (problem !== undefined) problems.push(problem);
  if (event.cut) return problems; // the frame is incomplete, because only its two ends were stored
  const violations = await frameViolations(event, analysis.exchangesOf(event.seq));
  if (violations.length > 0) analysis.noteViolation(event, violations[0]!);
  return [...problems, ...violations];
}
