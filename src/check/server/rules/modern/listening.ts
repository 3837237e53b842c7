// `subscriptions/listen` as the rules use it.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Conversation, describeError, readAnswer } from '../../conversation.ts';
import { type Frame, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { metaOf } from './exchanges.ts';
import { callEach, triedCalls } from './tried-calls.ts';

export const LISTEN = 'subscriptions/listen';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export interface Notified {
  readonly message: JsonObject;
  readonly frame: Frame;
}

/** A server that declares no changes need not have the method. */
function promisesChanges({ facts }: ServerRuleRun): boolean {
  const { tools, prompts, resources } = facts.capabilities as Record<string, JsonObject | undefined>;
  return [tools?.listChanged, prompts?.listChanged, resources?.listChanged, resources?.subscribe].includes(true);
}

/** Everything that can be listened for. */
export function fullFilter({ facts }: ServerRuleRun): JsonObject {
  const uris = facts.resources.map(({ uri }) => uri).filter((uri) => typeof uri === 'string');
  return {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: uris.slice(0, 100),
  };
}

interface Listening {
  readonly id: number;
  readonly acknowledgement: Notified;
}

interface Refused {
  /** What the server did instead. */
  readonly refusal: string;
  readonly frames: readonly Frame[];
}

async function tryToListen(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  filter: JsonObject,
): Promise<Listening | Refused> {
  if (!promisesChanges(ruleRun)) notApplicable('the server declares no changes');
  const { probe } = conversation;
  const id = conversation.ask(LISTEN, { notifications: filter });
  const acknowledged = () => notificationsFor(probe, id).find(({ message }) => message.method === ACKNOWLEDGED);
  await probe.maybe(() => acknowledged() ?? probe.answersTo(id)[0]);
  const acknowledgement = acknowledged();
  if (acknowledgement) {
    const honoured = filterOf(acknowledgement);
    if (isObject(honoured)) return { id, acknowledgement };
    const refusal = `\`notifications\` of the acknowledgement is ${jsonKind(honoured)}.`;
    return { refusal, frames: [acknowledgement.frame] };
  }
  const [frame] = probe.answersTo(id);
  if (!frame) return { refusal: `There was no acknowledgement of \`${LISTEN}\`.`, frames: [] };
  const { error } = readAnswer(frame, id);
  const answer = error ? describeError(error) : 'a result';
  return { refusal: `\`${LISTEN}\` was answered with ${answer} instead of an acknowledgement.`, frames: [frame] };
}

/** Listens. A refusal is a violation; for the one rule about it. */
export async function mustListen(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  filter: JsonObject,
): Promise<Listening> {
  const made = await tryToListen(ruleRun, conversation, filter);
  return 'refusal' in made ? violation(made.refusal, ...made.frames) : made;
}

/** Listens, and waits for the acknowledgement. */
export async function listen(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  filter: JsonObject,
): Promise<Listening> {
  const made = await tryToListen(ruleRun, conversation, filter);
  return 'refusal' in made ? notApplicable(`\`${LISTEN}\` is not acknowledged (modern/listen-is-acknowledged)`) : made;
}

/** The part of the filter that the server honours. */
export function filterOf({ message }: Notified): unknown {
  return isObject(message.params) ? message.params.notifications : undefined;
}

/** Stops to listen; what was sent before has come. */
export async function stopListening(conversation: Conversation, ...ids: readonly number[]): Promise<void> {
  for (const requestId of ids) conversation.notify('notifications/cancelled', { requestId });
  await conversation.barrier();
}

/** Makes changes, if the user allows a call that may. */
export async function makeChanges(ruleRun: ServerRuleRun, conversation: Conversation): Promise<void> {
  const isReadOnly = ({ annotations }: JsonObject) => isObject(annotations) && annotations.readOnlyHint === true;
  const calls = (await triedCalls(ruleRun)).filter(({ call }) => !isReadOnly(call.tool));
  await callEach(calls, conversation);
  await conversation.barrier();
}

/** Notifications that name the subscription. */
export function notificationsFor({ frames }: Probe, id: number): Notified[] {
  return frames.flatMap((frame) =>
    messagesOf(frame)
      .filter((message) => message.method !== undefined && metaOf(message)[SUBSCRIPTION_ID] === id)
      .map((message) => ({ message, frame })),
  );
}
