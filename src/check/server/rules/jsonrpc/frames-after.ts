// What a server writes because of something that needs no answer, or may get one without an id.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import type { Conversation } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';

/** More than one, for servers that handle requests side by side. */
const ROUND_TRIPS = 5;

/** The lines from `act` on. The end is known without a clock: further requests have been answered, one after the other. */
export async function framesAfter(conversation: Conversation, act: () => void): Promise<Frame[]> {
  const { frames } = conversation.probe;
  await conversation.barrier(); // late answers to what other rules sent
  const from = frames.length;
  act();
  for (let trip = 0; trip < ROUND_TRIPS; trip++) await conversation.barrier();
  return frames.slice(from);
}

export interface Anonymous {
  readonly frame: Frame;
  readonly message: JsonObject;
  /** The code of its error. Undefined for a result. */
  readonly code: unknown;
}

/** Answers without an id, or with null: to a message whose id could not be read. */
export function anonymousAnswers(frames: readonly Frame[]): Anonymous[] {
  return frames.flatMap((frame) =>
    messagesOf(frame)
      .filter((message) => isAnswer(message) && (message.id === undefined || message.id === null))
      .map((message) => ({ frame, message, code: isObject(message.error) ? message.error.code : undefined })),
  );
}
