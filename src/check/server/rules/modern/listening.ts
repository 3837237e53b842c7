// `subscriptions/listen` as the rules use it.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Conversation, describeError, METHOD_NOT_FOUND, readAnswer } from '../../conversation.ts';
import { type Frame, messagesOf, type Probe } from '../../probe.ts';
import type { Trial } from '../../trial.ts';
import { metaOf } from './exchanges.ts';
import { callEach, triedCalls } from './tried-calls.ts';

export const LISTEN = 'subscriptions/listen';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export interface Notified {
  readonly message: JsonObject;
  readonly frame: Frame;
}

/** The server says that it sends changes: it must have the method. */
export function promisesChanges({ facts }: Trial): boolean {
  const { tools, prompts, resources } = facts.capabilities as Record<string, JsonObject | undefined>;
  return [tools?.listChanged, prompts?.listChanged, resources?.listChanged, resources?.subscribe].includes(true);
}

/** Everything that can be listened for. */
export function fullFilter({ facts }: Trial): JsonObject {
  const uris = facts.resources.map(({ uri }) => uri).filter((uri) => typeof uri === 'string');
  return {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: uris.slice(0, 100),
  };
}

/** Listens, and waits for the acknowledgement. */
export async function listen(
  trial: Trial,
  conversation: Conversation,
  filter: JsonObject,
): Promise<{ id: number; acknowledgement: Notified }> {
  const { probe } = conversation;
  const id = conversation.ask(LISTEN, { notifications: filter });
  const acknowledgement = () => notificationsFor(probe, id).find(({ message }) => message.method === ACKNOWLEDGED);
  await probe.until(() => acknowledgement() ?? probe.answersTo(id)[0], `There was no acknowledgement of \`${LISTEN}\``);
  const found = acknowledgement();
  if (found) return { id, acknowledgement: found };
  const { error, frame } = readAnswer(probe.answersTo(id)[0]!, id);
  if (error?.code === METHOD_NOT_FOUND && !promisesChanges(trial)) notApplicable('the server sends no changes');
  return violation(
    `\`${LISTEN}\` was answered with ${error ? describeError(error) : 'a result'} instead of an acknowledgement.`,
    frame,
  );
}

/** Stops to listen; what was sent before has come. */
export async function stopListening(conversation: Conversation, ...ids: readonly number[]): Promise<void> {
  for (const requestId of ids) conversation.notify('notifications/cancelled', { requestId });
  await conversation.barrier();
}

/** Makes changes, if the user allows a call that may. */
export async function makeChanges(trial: Trial, conversation: Conversation): Promise<void> {
  const isReadOnly = ({ annotations }: JsonObject) => isObject(annotations) && annotations.readOnlyHint === true;
  const calls = (await triedCalls(trial)).filter(({ call }) => !isReadOnly(call.tool));
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
