// Ways to wait for answers that several rules of the wire share.

import { isObject } from '../../../base/json-object.ts';
import { violation } from '../../verdict.ts';
import type { Conversation } from '../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../probe.ts';

const PARSE_ERROR = -32700;

export interface Echo {
  /** Undefined if there was no answer. */
  readonly frame?: Frame;
  readonly id?: unknown;
}

/** Sends a request with the text as its id (or `bytes`, the rest of one), and waits for an answer to this id, or to one that no request had. */
export async function echo(conversation: Conversation, text: string, bytes?: Uint8Array): Promise<Echo> {
  const { probe } = conversation;
  const from = probe.frames.length;
  probe.write(bytes ?? `${JSON.stringify(conversation.ping(text))}\n`);
  return (await probe.maybe(() => echoOf(conversation, text, from))) ?? {};
}

export async function isEchoed(conversation: Conversation, text: string): Promise<boolean> {
  return (await echo(conversation, text)).id === text;
}

function echoOf({ probe }: Conversation, text: string, from: number): Echo | undefined {
  const [frame] = probe.answersTo(text);
  if (frame) return { frame, id: text };
  for (const other of probe.frames.slice(from)) {
    const strange = messagesOf(other).find((message) => isAnswer(message) && typeof message.id !== 'number');
    if (strange) return { frame: other, id: strange.id };
  }
  return undefined;
}

/** Writes a message and waits for its answer, of any kind. An error without an id, or a parse error, says that the server could not read it. */
export async function understood(
  { probe }: Conversation,
  bytes: Uint8Array | string,
  id: unknown,
  what: string,
): Promise<void> {
  const from = probe.frames.length;
  probe.write(bytes);
  const answer = await probe.until(
    () => probe.answersTo(id)[0] ?? refusal(probe.frames.slice(from)),
    `There was no answer to ${what}`,
  );
  if (refusal([answer])) violation(`The server could not read ${what}.`);
}

function refusal(frames: readonly Frame[]): Frame | undefined {
  return frames.find((frame) =>
    messagesOf(frame).some(({ id, error }) => isObject(error) && (id == null || error.code === PARSE_ERROR)),
  );
}

/** Waits for the answers to all ids. Each has the whole time once the one before has come: a slow server is not a wrong one. */
export async function allAnswered({ probe }: Conversation, ids: readonly unknown[], what: string): Promise<void> {
  for (const [at, id] of ids.entries()) {
    if (await probe.maybe(() => probe.answersTo(id)[0])) continue;
    const missing = ids.slice(at).filter((each) => probe.answersTo(each).length === 0).length;
    const why = probe.ended ? 'the server closed its stdout' : `nothing came for ${probe.timeoutMs / 1000} s`;
    violation(`${missing} of ${ids.length} requests ${what} were not answered: ${why}.`);
  }
}
