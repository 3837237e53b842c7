// The answers to all requests without side effects: lists, readable resources, prompts, completions and permitted calls. They are sent once
// per revision, in the observed conversation; most rules of this family only read the answers.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { LOG_LEVEL } from '../../../../mcp/meta.ts';
import { UriTemplate } from '../../../../mcp/uri-template.ts';
import type { Entry } from '../../../transcript.ts';
import type { PermittedCall } from '../../calls.ts';
import type { Facts } from '../../facts.ts';
import type { Frame } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, endAfter, exchange } from './exchange.ts';

export interface ListWalk {
  readonly method: string;
  /** The member of the result that has the entries. */
  readonly member: string;
  /** The member of an entry that identifies it. */
  readonly key: string;
  readonly pages: readonly Exchange[];
  /** A cursor that the server gave a second time. */
  readonly repeated?: string;
}

export interface CallExchange extends Exchange {
  readonly call: PermittedCall;
  readonly token: string;
  /** All output from the request to the answer of a later request, and half of `laterMs` after it. */
  readonly window: readonly Frame[];
  /** The later request. Absent if the server ended before. */
  readonly next?: Exchange;
  /** How the server ended after its answer. */
  readonly later?: { readonly how: string; readonly proof: readonly Entry[] };
}

export interface Survey {
  readonly lists: readonly ListWalk[];
  readonly calls: readonly CallExchange[];
  readonly reads: readonly Exchange[];
  readonly gets: readonly Exchange[];
  readonly completions: readonly Exchange[];
}

/** The value of an argument without suggestions. A server may refuse it. */
export const INVENTED = 'x';
/** Limit of the requests of each kind. */
const MOST_REQUESTS = 12;
const MOST_PAGES = 50;
/** A longer call is cancelled and not judged. */
const LEAST_CALL_MS = 2_500;

/** Facts are specific to one revision of one check. */
const surveys = new WeakMap<Facts, Promise<Survey>>();

export function surveyOf(ruleRun: ServerRuleRun): Promise<Survey> {
  let survey = surveys.get(ruleRun.facts);
  if (!survey) {
    survey = takeSurvey(ruleRun.observer);
    surveys.set(ruleRun.facts, survey);
  }
  return survey;
}

/** The lists that the server declares. */
export function declaredLists({ capabilities }: Facts): Pick<ListWalk, 'method' | 'member' | 'key'>[] {
  return [
    ...(capabilities.tools ? [{ method: 'tools/list', member: 'tools', key: 'name' }] : []),
    ...(capabilities.resources
      ? [
          { method: 'resources/list', member: 'resources', key: 'uri' },
          { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' },
        ]
      : []),
    ...(capabilities.prompts ? [{ method: 'prompts/list', member: 'prompts', key: 'name' }] : []),
  ];
}

async function takeSurvey(ruleRun: ServerRuleRun): Promise<Survey> {
  const { facts } = ruleRun;
  const lists: ListWalk[] = [];
  const ask = (method: string, params: JsonObject) => exchange(ruleRun, method, params);
  for (const list of declaredLists(facts)) lists.push({ ...list, ...(await walk(ask, list.method)) });
  const completions = await askAll(ruleRun, 'completion/complete', completionsOf(facts));
  return {
    lists,
    completions,
    calls: await callAll(ruleRun),
    reads: await askAll(ruleRun, 'resources/read', named(facts.resources, 'uri')),
    gets: await askAll(
      ruleRun,
      'prompts/get',
      facts.prompts.filter(({ name }) => typeof name === 'string').map((prompt) => promptParams(prompt, completions)),
    ),
  };
}

/** All pages of a list. */
export async function walk(
  ask: (method: string, params: JsonObject) => Promise<Exchange>,
  method: string,
): Promise<Pick<ListWalk, 'pages' | 'repeated'>> {
  const pages: Exchange[] = [];
  const cursors = new Set<string>();
  let params: JsonObject = {};
  while (pages.length < MOST_PAGES) {
    const page = await ask(method, params);
    pages.push(page);
    const cursor = page.result?.nextCursor;
    if (typeof cursor !== 'string') break;
    if (cursors.has(cursor)) return { pages, repeated: cursor };
    cursors.add(cursor);
    params = { cursor };
  }
  return { pages };
}

async function callAll(ruleRun: ServerRuleRun): Promise<CallExchange[]> {
  const calls = [...new Map(ruleRun.calls.map((call) => [call.name, call])).values()].slice(0, MOST_REQUESTS);
  const made: CallExchange[] = [];
  if (calls.length > 0 && ruleRun.era === 'legacy' && ruleRun.facts.capabilities.logging) {
    await exchange(ruleRun, 'logging/setLevel', { level: 'debug' });
  }
  for (const [at, call] of calls.entries()) {
    const token = `token-${at}`;
    const meta = { progressToken: token, ...(ruleRun.era === 'modern' && { [LOG_LEVEL]: 'debug' }) };
    const one = await callOnce(ruleRun, call, meta);
    made.push({ ...one, call, token });
  }
  return made;
}

export function callTimeoutMs({ timeoutMs }: ServerRuleRun): number {
  return Math.max(LEAST_CALL_MS, timeoutMs / 4);
}

/** Makes a call and records its output. A long call is cancelled and has no answer. */
export async function callOnce(
  ruleRun: ServerRuleRun,
  { name, arguments: given }: PermittedCall,
  meta?: JsonObject,
): Promise<Pick<CallExchange, keyof Exchange | 'window' | 'next' | 'later'>> {
  const conversation = await ruleRun.shared();
  const from = conversation.probe.frames.length;
  const params = { name, arguments: given, ...(meta && { _meta: meta }) };
  const made = await exchange(ruleRun, 'tools/call', params, callTimeoutMs(ruleRun));
  if (!made.received && !conversation.probe.ended) {
    conversation.notify('notifications/cancelled', { requestId: made.id, reason: 'It takes long' });
  }
  const { probe } = conversation;
  const next = probe.ended ? undefined : await exchange(ruleRun, conversation.simplestMethod, {});
  // Background work of a call may end the server after the answer. This wait keeps the next request from being blamed.
  const isOver = made.received && (probe.ended || (await probe.exitStatus(probe.end.laterMs / 2)));
  const window = probe.frames.slice(from);
  const later = isOver && { how: await probe.howItEnded(), proof: endAfter(made.sent, probe.transcript.entries) };
  return { ...made, window, ...(next && { next }), ...(later && { later }) };
}

async function askAll(ruleRun: ServerRuleRun, method: string, all: readonly JsonObject[]): Promise<Exchange[]> {
  const made: Exchange[] = [];
  for (const params of all.slice(0, MOST_REQUESTS)) {
    const one = await exchange(ruleRun, method, params);
    made.push(one);
    if (!one.received && !(await ruleRun.shared()).probe.ended) break; // the server is busy, so the next request would take just as long
  }
  return made;
}

function named(entries: readonly JsonObject[], key: string): JsonObject[] {
  return entries.filter((entry) => typeof entry[key] === 'string').map((entry) => ({ [key]: entry[key] }));
}

/** The arguments of a prompt that are objects with a name. */
export function argumentsOf({ arguments: list }: JsonObject): JsonObject[] {
  return Array.isArray(list) ? list.filter((each) => isObject(each) && typeof each.name === 'string') : [];
}

/** Arguments with a value that the server suggests, or `INVENTED`. */
function promptParams(prompt: JsonObject, completions: readonly Exchange[]): JsonObject {
  const given = argumentsOf(prompt).map(({ name }) => [name, suggested(completions, prompt.name, name) ?? INVENTED]);
  return { name: prompt.name, ...(given.length > 0 && { arguments: Object.fromEntries(given) }) };
}

function suggested(completions: readonly Exchange[], prompt: unknown, name: unknown): string | undefined {
  const found = completions.find(({ params: { ref, argument: of } }) => {
    return isObject(ref) && ref.name === prompt && isObject(of) && of.name === name;
  });
  const completion = found?.result?.completion;
  const [first] = isObject(completion) && Array.isArray(completion.values) ? completion.values : [];
  return typeof first === 'string' ? first : undefined;
}

function completionsOf({ capabilities, revision, prompts, templates }: Facts): JsonObject[] {
  if (!capabilities.completions && revision !== '2024-11-05') return [];
  const ofPrompts = prompts.flatMap((prompt) =>
    argumentsOf(prompt).map(({ name }) => ({
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: argument(name),
    })),
  );
  const ofTemplates = templates.flatMap(({ uriTemplate }) =>
    typeof uriTemplate === 'string'
      ? new UriTemplate(uriTemplate).variables.map((name) => ({
          ref: { type: 'ref/resource', uri: uriTemplate },
          argument: argument(name),
        }))
      : [],
  );
  return [...ofPrompts, ...ofTemplates];
}

function argument(name: unknown): JsonObject {
  return { name, value: '' };
}
