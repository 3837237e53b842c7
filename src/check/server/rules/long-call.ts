// The long call that the user named, once the server has begun it. A message that arrives in the same read as the call shows nothing about a
// running call, and a call that ends within milliseconds shows nothing at all: the rules do not apply to it.

import type { Entry } from '../../transcript.ts';
import { notApplicable } from '../../verdict.ts';
import { type Conversation, withoutResult } from '../conversation.ts';
import type { ServerRuleRun } from '../server-rule-run.ts';

/** Time in which the server reads the call before the next message is sent. */
const BEGIN_MS = 500;
/** An answer that is missing for this long, or for this many round trips, is not about to arrive. */
const PATIENCE_MS = 2_000;
const ROUND_TRIPS = 20;

export interface LongCall {
  readonly conversation: Conversation;
  readonly name: string;
  readonly id: number;
  readonly sent: Entry;
  /** Wait that is longer than the server needs for an answer to a request that it reads. */
  readonly patienceMs: number;
}

/** Makes the call in a new process, and waits until the server has begun it. Not applicable if it has ended by then. */
export async function beginLongCall(ruleRun: ServerRuleRun): Promise<LongCall> {
  const { name, arguments: given } = ruleRun.longCall();
  const conversation = await ruleRun.open();
  const { probe } = conversation;
  const startMs = performance.now();
  await conversation.settled();
  const patienceMs = Math.max(PATIENCE_MS, (ROUND_TRIPS / 5) * (performance.now() - startMs));
  const id = conversation.ask('tools/call', { name, arguments: given });
  const call = { conversation, name, id, sent: probe.transcript.entries.at(-1)!, patienceMs };
  if (await probe.maybe(() => probe.anyAnswerTo(id), BEGIN_MS)) await notLong(call);
  return call;
}

/** Called after the answer to the call: reports why the rule cannot be judged by this call. */
export async function notLong({ conversation, name, id }: LongCall): Promise<never> {
  const answer = await conversation.answer(id, `\`${name}\``);
  if (!answer.result) notApplicable(`the call of \`${name}\` was answered with ${withoutResult(answer)}`);
  if (answer.result.isError === true) notApplicable(`the call of \`${name}\` failed`);
  notApplicable(`the call of \`${name}\` is not long: name one that takes at least 5 s with --long-call`);
}
