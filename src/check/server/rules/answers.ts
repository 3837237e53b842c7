// Ways to wait for answers that several rules of the wire share.

import type { JsonObject } from '../../../base/json-object.ts';
import { Violation, violation } from '../../verdict.ts';
import { type Conversation, errorOf } from '../conversation.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../probe.ts';
import type { ServerRuleRun } from '../server-rule-run.ts';

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

/** Requests of a burst are fewer for a slow server, so that all are answered in about this time. */
const BURST_MS = 20_000;
const LEAST_REQUESTS = 100;

/** Number of round trips of which the fastest counts: a busy machine delays some of them. */
const ROUND_TRIPS = 10;

/** How many requests to send at once: `most`, or as many as the server answers one after the other in 20 s. */
export async function burstOf(conversation: Conversation, most: number): Promise<number> {
  let length = LEAST_REQUESTS;
  for (let trip = 0; trip < ROUND_TRIPS && length < most; trip++) {
    const startMs = performance.now();
    await conversation.barrier();
    length = Math.max(length, Math.min(most, Math.floor(BURST_MS / (performance.now() - startMs))));
  }
  return length;
}

/**
 * Waits for the answers to all ids, each on a line of its own. Each has the whole time once the one before has come: a slow server is not a wrong
 * one. Answers with ids of other requests are not waited for.
 */
export async function allAnswered(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  ids: readonly unknown[],
  what: string,
): Promise<void> {
  const { probe } = conversation;
  const hasAsMany = () =>
    probe.frames.length >= ids.length &&
    ids.reduce<number>((sum, id) => sum + probe.answersTo(id).length, 0) >= ids.length;
  for (const [at, id] of ids.entries()) {
    await probe.maybe(() => probe.answersTo(id)[0] ?? (hasAsMany() || undefined));
    if (!probe.answersTo(id)[0]) await conversation.settled(); // a server that answers twice has as many too early
    if (probe.answersTo(id)[0]) continue;
    mustBeWholeLines(ruleRun, probe);
    const missing = ids.slice(at).filter((each) => probe.answersTo(each).length === 0).length;
    const lost = `${missing} of ${ids.length} requests ${what} were not answered`;
    const repeated = ids.find((each) => probe.answersTo(each).length > 1);
    if (repeated !== undefined) {
      const times = probe.answersTo(repeated);
      const reason = `${lost}, and the one with the id ${shownId(repeated)} was answered ${times.length} times: answers have the ids of other requests.`;
      throw new Violation(reason, times.slice(0, 3), OWN_IDS);
    }
    const why = probe.ended ? await probe.howItEnded() : `nothing came for ${probe.timeoutMs / 1000} s`;
    violation(`${lost}: ${why}.`);
  }
  mustBeWholeLines(ruleRun, probe);
}

const OWN_IDS =
  'Keep the id of each request in a variable of its own handler, not in one that the next request overwrites.';

const mixed: readonly (Frame['fault'] | undefined)[] = ['several messages', 'mixed up', 'invalid JSON'];
const isMixed = ({ fault }: Frame) => mixed.includes(fault);

/** Threads that write at the same time mix up lines only if there are many answers. Lines that are wrong without that are a matter of other rules. */
function mustBeWholeLines({ seen }: ServerRuleRun, { frames }: Probe): void {
  const found = frames.filter(isMixed);
  if (found.length === 0 || seen.some((probe) => probe.frames.some(isMixed))) return;
  const problem = found[0]!.fault === 'several messages' ? 'several messages' : 'parts of messages';
  const reason = `The server wrote ${problem} on one line when it answered many requests at once.`;
  throw new Violation(reason, found.slice(0, 3), ONE_WRITE);
}

const ONE_WRITE =
  'Write each message with its newline in one call, under a lock that all threads hold while they write.';

const MOST_SHOWN_ID = 40;

/** An id as JSON, short: those of some requests have thousands of characters. */
export function shownId(id: unknown): string {
  const json = JSON.stringify(id) ?? 'null';
  return json.length > MOST_SHOWN_ID ? `${json.slice(0, MOST_SHOWN_ID)}… (${json.length} characters)` : json;
}
