// What a server writes because of something that needs no answer, or may get one without an id.

import type { JsonObject } from '../../../../base/json-object.ts';
import { type Conversation, errorOf, type RpcError } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';

/** The lines from `act` on, until it is settled. `what` names it. */
export async function framesAfter(conversation: Conversation, act: () => void, what?: string): Promise<Frame[]> {
  const { frames } = conversation.probe;
  const from = frames.length;
  act();
  await conversation.settle(what);
  return frames.slice(from);
}

export interface Anonymous {
  readonly frame: Frame;
  readonly message: JsonObject;
  /** Undefined for a result. */
  readonly error: RpcError | undefined;
}

/** Answers without an id, or with null: to a message whose id could not be read. */
export function anonymousAnswers(frames: readonly Frame[]): Anonymous[] {
  return frames.flatMap((frame) =>
    messagesOf(frame)
      .filter((message) => isAnswer(message) && (message.id === undefined || message.id === null))
      .map((message) => ({ frame, message, error: errorOf(message) })),
  );
}
