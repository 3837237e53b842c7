// The permitted calls, and the first of them that asks its client a question, for the rules about `input_required`.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { CLIENT_CAPABILITIES } from '../../../../mcp/meta.ts';
import type { ClientCapabilities } from '../../../../mcp/types.ts';
import { notApplicable } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import { type Answer, type Conversation, readAnswer } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import { sampleArguments } from '../../sample-arguments.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

export const allCapabilities: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Additional members of a repeated request. */
export interface Retry {
  requestState?: unknown;
  inputResponses?: unknown;
}

export interface Question {
  readonly inputRequests: JsonObject;
  readonly requestState: unknown;
  /** The members of the retry: `requestState` unchanged, or none if it was absent. */
  readonly state: Retry;
}

export interface TriedCall {
  readonly call: PermittedCall;
  readonly asks: boolean;
}

/** Limit of the calls that are tried. Tools whose name suggests a question come first. */
const MOST_CALLS = 20;
const SOUNDS_LIKE_ASKING = /ask|elicit|input|confirm|sampl|root/i;

const NO_QUESTIONS = 'no permitted call asks the client';

const tried = new WeakMap<Facts, Promise<readonly TriedCall[]>>();

export class AskingCall {
  readonly conversation: Conversation;
  readonly call: PermittedCall;

  constructor(conversation: Conversation, call: PermittedCall) {
    this.conversation = conversation;
    this.call = call;
  }

  request(retry: Retry = {}, capabilities = allCapabilities, args: JsonObject = this.call.arguments): Promise<Answer> {
    return this.conversation.request('tools/call', paramsOf(this.call, args, retry, capabilities));
  }

  /** The questions of a new call. */
  async question(args?: JsonObject): Promise<Question> {
    const { result } = await this.request({}, allCapabilities, args);
    if (result?.resultType !== 'input_required')
      notApplicable(`not every call of \`${this.call.name}\` asks the client`);
    return questionOf(result);
  }
}

/** Finds the call in the shared conversation. */
export async function askingCall(ruleRun: ServerRuleRun): Promise<AskingCall> {
  const conversation = await ruleRun.shared();
  return new AskingCall(conversation, asking(await triedCalls(ruleRun)));
}

/** Finds the call in a process that has not received a request with capabilities. */
export async function freshAskingCall(ruleRun: ServerRuleRun): Promise<AskingCall> {
  if (ruleRun.calls.length === 0) notApplicable(NO_QUESTIONS);
  const call = asking(await triedCalls(ruleRun));
  return new AskingCall(await ruleRun.open(), call);
}

function asking(calls: readonly TriedCall[]): PermittedCall {
  return calls.find((each) => each.asks)?.call ?? notApplicable(NO_QUESTIONS);
}

/** Calls that are answered in time. Each was tried once in this revision, concurrently: a slow call does not delay the others. */
export function triedCalls(ruleRun: ServerRuleRun): Promise<readonly TriedCall[]> {
  const known = tried.get(ruleRun.facts) ?? tryCalls(ruleRun.observer);
  tried.set(ruleRun.facts, known);
  return known;
}

async function tryCalls(ruleRun: ServerRuleRun): Promise<TriedCall[]> {
  const conversation = await ruleRun.shared();
  const { probe } = conversation;
  const sounds = (call: PermittedCall) => (SOUNDS_LIKE_ASKING.test(call.name) ? 0 : 1);
  const calls = [...ruleRun.calls].sort((a, b) => sounds(a) - sounds(b)).slice(0, MOST_CALLS);
  const ids = calls.map((call) => conversation.ask('tools/call', paramsOf(call, call.arguments, {}, allCapabilities)));
  await probe.maybe(() => ids.every((id) => probe.answersTo(id).length > 0) || undefined);
  return calls.flatMap((call, at) => {
    const [frame] = probe.answersTo(ids[at]);
    return frame ? { call, asks: asks(readAnswer(frame, ids[at])) } : [];
  });
}

/** Repeats the calls concurrently. Their answers are not judged. */
export async function callEach(
  calls: readonly TriedCall[],
  conversation: Conversation,
  _meta: JsonObject = {},
): Promise<void> {
  const { probe } = conversation;
  const ids = calls.map(({ call }) =>
    conversation.ask('tools/call', { name: call.name, arguments: call.arguments, _meta }),
  );
  await probe.maybe(() => ids.every((id) => probe.answersTo(id).length > 0) || undefined);
}

function paramsOf(call: PermittedCall, args: JsonObject, retry: Retry, capabilities: ClientCapabilities): JsonObject {
  return { name: call.name, arguments: args, ...retry, _meta: { [CLIENT_CAPABILITIES]: capabilities } };
}

export function questionOf(result: JsonObject): Question {
  const { requestState } = result;
  return {
    inputRequests: isObject(result.inputRequests) ? result.inputRequests : {},
    requestState,
    state: requestState === undefined ? {} : { requestState },
  };
}

/** An answer to each question, as if the user accepted. */
export function answersTo({ inputRequests }: Question): JsonObject {
  return Object.fromEntries(Object.entries(inputRequests).map(([key, request]) => [key, answerTo(request)]));
}

export function answerTo(request: unknown): JsonObject {
  const { method, params } = isObject(request) ? request : {};
  if (method === 'roots/list') return { roots: [{ uri: 'file:///check', name: 'check' }] };
  if (method === 'sampling/createMessage') {
    return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'check', stopReason: 'endTurn' };
  }
  const { mode, requestedSchema } = isObject(params) ? params : {};
  return mode === 'url' ? { action: 'accept' } : { action: 'accept', content: sampleArguments(requestedSchema) };
}

/** Returns false for a question that is asked by a page in a browser. */
export function canBeAnswered({ inputRequests }: Question): boolean {
  return Object.values(inputRequests).every(
    (each) => !isObject(each) || !isObject(each.params) || each.params.mode !== 'url',
  );
}

export function asks({ result }: Answer): boolean {
  return result?.resultType === 'input_required';
}

/** A complete result without an error. */
export function isSuccess({ result }: Answer): boolean {
  return result !== undefined && result.resultType !== 'input_required' && result.isError !== true;
}
