// Ways to wait for answers that several rules of the wire share.

import type { JsonObject } from '../../../base/json-object.ts';
import { violation } from '../../verdict.ts';
import { type Conversation, errorOf } from '../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../probe.ts';

const PARSE_ERROR = -32700;

export interface Echo {
  /** Undefined if there was no answer. */
  readonly frame?: Frame;
  readonly id?: unknown;
}

/** A request of which a part was sent before. */
export interface RestOfRequest {
  readonly bytes: Uint8Array;
  /** How many frames had come when its first part was sent: a server may answer before the newline comes. */
  readonly from: number;
}

/**
 * Sends a request with the id (or its rest), and waits for its answer. If an answer comes whose id no request had, the request was
 * answered with another id, unless its own answer follows: then something else caused the stray one.
 */
export async function echo(conversation: Conversation, id: string | number, rest?: RestOfRequest): Promise<Echo> {
  const { probe } = conversation;
  const from = rest?.from ?? probe.frames.length;
  probe.write(rest?.bytes ?? `${JSON.stringify(conversation.ping(id))}\n`);
  const find = (isWanted: (message: JsonObject) => boolean) => answerIn(probe.frames.slice(from), isWanted);
  const own = () => find((message) => message.id === id);
  const stray = () => find((message) => !probe.hasGiven(message.id));
  const found = await probe.maybe(() => own() ?? stray());
  if (!found || found.id === id) return found ?? {};
  await conversation.settled();
  return own() ?? found;
}

function answerIn(frames: readonly Frame[], isWanted: (message: JsonObject) => boolean): Echo | undefined {
  for (const frame of frames) {
    const answer = messagesOf(frame).find((message) => isAnswer(message) && isWanted(message));
    if (answer) return { frame, id: answer.id };
  }
  return undefined;
}

export async function isEchoed(conversation: Conversation, text: string): Promise<boolean> {
  return (await echo(conversation, text)).id === text;
}

/** Writes a message and waits for its answer, of any kind. An error without an id, or a parse error, says that the server could not read it. */
export async function understood(
  conversation: Conversation,
  bytes: Uint8Array | string,
  id: unknown,
  what: string,
): Promise<void> {
  const { probe } = conversation;
  const from = probe.frames.length;
  probe.write(bytes);
  const find = () => probe.answersTo(id)[0] ?? refusal(probe.frames.slice(from));
  const first = await probe.until(find, `There was no answer to ${what}`);
  if (!refusal([first])) return;
  await conversation.settled(); // the refusal may be a late one of something else
  const answer = find() ?? first;
  if (refusal([answer])) violation(`The server could not read ${what}.`, answer);
}

function refusal(frames: readonly Frame[]): Frame | undefined {
  return frames.find((frame) =>
    messagesOf(frame).some((message) => {
      const error = errorOf(message);
      return error && (message.id == null || error.code === PARSE_ERROR);
    }),
  );
}

/** Waits for the answers to all ids. Each has the whole time once the one before has come: a slow server is not a wrong one. */
export async function allAnswered({ probe }: Conversation, ids: readonly unknown[], what: string): Promise<void> {
  for (const [at, id] of ids.entries()) {
    if (await probe.maybe(() => probe.answersTo(id)[0])) continue;
    const missing = ids.slice(at).filter((each) => probe.answersTo(each).length === 0).length;
    const why = probe.ended ? await probe.howItEnded() : `nothing came for ${probe.timeoutMs / 1000} s`;
    violation(`${missing} of ${ids.length} requests ${what} were not answered: ${why}.`);
  }
}
