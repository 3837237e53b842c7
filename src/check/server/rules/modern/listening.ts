// Subscriptions with `subscriptions/listen`, for rules.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Conversation, describeError, readAnswer } from '../../conversation.ts';
import { type Frame, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { messageMeta } from './exchanges.ts';
import { callEach, triedCalls } from './tried-calls.ts';

export const LISTEN = 'subscriptions/listen';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export interface Notified {
  readonly message: JsonObject;
  readonly frame: Frame;
}

/** A server that does not declare change notifications need not implement the method. */
function promisesChanges({ facts }: ServerRuleRun): boolean {
  const { tools, prompts, resources } = facts.capabilities as Record<string, JsonObject | undefined>;
  return [tools?.listChanged, prompts?.listChanged, resources?.listChanged, resources?.subscribe].includes(true);
}

/** A filter for all changes. */
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
  /** The behaviour of the server, as a sentence. */
  readonly refusal: string;
  readonly frames: readonly Frame[];
}

async function tryToListen(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  filter: JsonObject,
): Promise<Listening | Refused> {
  if (!promisesChanges(ruleRun)) notApplicable('the server does not declare change notifications');
  const { probe } = conversation;
  const from = probe.frames.length;
  const id = conversation.ask(LISTEN, { notifications: filter });
  const acknowledged = () => notificationsFor(probe, id).find(({ message }) => message.method === ACKNOWLEDGED);
  const misnamed = () => probe.frames.slice(from).find((frame) => messagesOf(frame).some(isMisnamed(probe)));
  await probe.maybe(() => acknowledged() ?? probe.answersTo(id)[0] ?? misnamed());
  const acknowledgement = acknowledged();
  if (acknowledgement) {
    const honoured = filterOf(acknowledgement);
    if (isObject(honoured)) return { id, acknowledgement };
    const refusal = `\`notifications\` of the acknowledgement is ${jsonKind(honoured)}.`;
    return { refusal, frames: [acknowledgement.frame] };
  }
  const [frame] = probe.answersTo(id);
  if (!frame && misnamed()) {
    notApplicable('the acknowledgement does not have the id of the request (modern/changes-name-their-subscription)');
  }
  if (!frame) return { refusal: `There was no acknowledgement of \`${LISTEN}\`.`, frames: [] };
  const { error } = readAnswer(frame, id);
  const answer = error ? describeError(error) : 'a result';
  return { refusal: `\`${LISTEN}\` was answered with ${answer} instead of an acknowledgement.`, frames: [frame] };
}

/** An acknowledgement of a subscription that cannot exist: its id is missing, or of another type. */
function isMisnamed(probe: Probe): (message: JsonObject) => boolean {
  return (message) => message.method === ACKNOWLEDGED && !probe.hasGiven(messageMeta(message)[SUBSCRIPTION_ID]);
}

/** Listens. A refusal is a violation: only for modern/listen-is-acknowledged. */
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

/** Stops listening, and waits until earlier notifications have arrived. */
export async function stopListening(conversation: Conversation, ...ids: readonly number[]): Promise<void> {
  for (const requestId of ids) conversation.notify('notifications/cancelled', { requestId });
  await conversation.barrier();
}

/** Makes the allowed calls of tools that are not read-only. */
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
      .filter((message) => message.method !== undefined && messageMeta(message)[SUBSCRIPTION_ID] === id)
      .map((message) => ({ message, frame })),
  );
}
