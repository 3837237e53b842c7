// One request and its answer, with the frames that prove a violation.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import type { Entry } from '../../../transcript.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { type Conversation, describeError, METHOD_NOT_FOUND, type RpcError } from '../../conversation.ts';
import { type Frame, messagesOf } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

export interface Exchange {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sent: Entry;
  /** The frame of the answer; absent if there was none. */
  readonly received?: Frame;
  /** The result; absent for an error and for a question to the client (2026-07-28). */
  readonly result?: JsonObject;
  readonly error?: RpcError;
  /** Why there was no answer. */
  readonly failure?: string;
  /** Set if the server ended: its stderr since the request, and its exit. */
  readonly end?: readonly Entry[];
}

export const INVALID_PARAMS = -32602;

/** Sends the request in the shared conversation. A missing answer is not a violation here. */
export async function exchange(
  ruleRun: ServerRuleRun,
  method: string,
  params: JsonObject,
  timeoutMs?: number,
): Promise<Exchange> {
  return exchangeIn(await ruleRun.shared(), method, params, timeoutMs);
}

export async function exchangeIn(
  conversation: Conversation,
  method: string,
  params: JsonObject,
  timeoutMs?: number,
): Promise<Exchange> {
  const id = conversation.ask(method, params);
  const sent = conversation.probe.transcript.entries.at(-1)!;
  const asked = { id, method, params, sent };
  try {
    const { frame, result, error } = await conversation.answer(id, `\`${method}\``, timeoutMs);
    const isComplete = result && (result.resultType === undefined || result.resultType === 'complete');
    return { ...asked, received: frame, ...(isComplete && { result }), ...(error && { error }) };
  } catch (thrown) {
    if (!(thrown instanceof Violation)) throw thrown;
    const { ended, transcript } = conversation.probe;
    return { ...asked, failure: thrown.message, ...(ended && { end: endAfter(sent, transcript.entries) }) };
  }
}

export function proofOf({ sent, received, end = [] }: Exchange): Entry[] {
  return [sent, ...(received ? [received] : []), ...end];
}

/** The stderr output after an entry, followed by the events of the process. The exit event can precede the last stderr output. */
export function endAfter(entry: Entry, entries: readonly Entry[]): Entry[] {
  const after = entries.slice(entries.indexOf(entry) + 1);
  return [...after.filter(({ kind }) => kind === 'stderr'), ...after.filter(({ kind }) => kind === 'event')];
}

interface Refusal {
  method: string;
  params: JsonObject;
  code: number;
  /**
   * Whether the request names an item. Some servers answer -32601 for unknown names, which is judged if the server has the method.
   * Otherwise -32601 means that the method is missing, which other rules report.
   */
  isAboutName?: boolean;
}

/** The request must be refused with this code. */
export async function refused(
  ruleRun: ServerRuleRun,
  what: string,
  { method, params, code, isAboutName = false }: Refusal,
): Promise<void> {
  const made = await exchange(ruleRun, method, params);
  const { error, failure } = made;
  if (failure !== undefined) violation(failure, ...proofOf(made));
  if (error?.code === METHOD_NOT_FOUND && (!isAboutName || (await (await ruleRun.shared()).lacksMethodsOf(method)))) {
    notApplicable(`the server does not have \`${method}\``);
  }
  if (!error) violation(`${what} was answered with a result instead of the error ${code}.`, ...proofOf(made));
  if (error.code !== code) {
    violation(`${what} was refused with ${describeError(error)} instead of the code ${code}.`, ...proofOf(made));
  }
}

export function listIn(result: JsonObject | undefined, member: string): unknown[] {
  const list = result?.[member];
  return Array.isArray(list) ? list : [];
}

/** Notifications of one method, with their frames. */
export function notificationsIn(frames: readonly Frame[], method: string): { frame: Frame; params: JsonObject }[] {
  return frames.flatMap((frame) =>
    messagesOf(frame)
      .filter((message) => message.method === method && message.id === undefined)
      .map(({ params }) => ({ frame, params: isObject(params) ? params : {} })),
  );
}
