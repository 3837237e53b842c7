// Waiting for answers, shared by several families of rules.

import type { JsonObject } from '../../../base/json-object.ts';
import type { Entry } from '../../transcript.ts';
import { notApplicable, Violation, violation } from '../../verdict.ts';
import { type Conversation, errorOf, type RpcError } from '../conversation.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../probe.ts';
import type { ServerRuleRun } from '../server-rule-run.ts';

const PARSE_ERROR = -32700;

export interface Echo {
  /** The answer; absent if there is none. */
  readonly frame?: Frame;
  readonly id?: unknown;
  /** The sent request. */
  readonly sent: Entry;
}

/** The second part of a request. */
export interface RestOfRequest {
  readonly bytes: Uint8Array;
  /** Number of frames when the first part was sent: a server may answer before the newline. */
  readonly from: number;
}

/**
 * Sends a request with the id, or the rest of a request that was sent in part, and waits for its answer. An answer with an unknown id, or
 * to an answered request, is taken as the
 * answer, unless one with the right id follows.
 */
export async function echo(conversation: Conversation, id: string | number, rest?: RestOfRequest): Promise<Echo> {
  const { probe } = conversation;
  const from = rest?.from ?? probe.frames.length;
  probe.write(rest?.bytes ?? `${JSON.stringify(conversation.ping(id))}\n`);
  const sent = probe.transcript.entries.at(-1)!;
  const find = (isWanted: (message: JsonObject, frame: Frame) => boolean) =>
    answerIn(probe.frames.slice(from), isWanted);
  const own = () => find((message) => message.id === id);
  const stray = () => find((message, frame) => !probe.hasGiven(message.id) || probe.isRepeated(frame));
  const found = await probe.maybe(() => own() ?? stray());
  if (!found || found.id === id) return { sent, ...found };
  await conversation.settled();
  return { sent, ...(own() ?? found) };
}

function answerIn(
  frames: readonly Frame[],
  isWanted: (message: JsonObject, frame: Frame) => boolean,
): Omit<Echo, 'sent'> | undefined {
  for (const frame of frames) {
    const answer = messagesOf(frame).find((message) => isAnswer(message) && isWanted(message, frame));
    if (answer) return { frame, id: answer.id };
  }
  return undefined;
}

export async function isEchoed(conversation: Conversation, text: string): Promise<boolean> {
  return (await echo(conversation, text)).id === text;
}

export async function needsStringIds(conversation: Conversation): Promise<void> {
  if (!(await isEchoed(conversation, 'plain'))) notApplicable('the server does not return string ids');
}

/** Writes a message and waits for its answer. An error without an id, or a parse error, means that the server could not read it. */
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
  await conversation.settled(); // the error may be a late answer to an earlier message
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

/** A slow server gets fewer requests in a burst, so that it answers all of them in about this time. */
const BURST_MS = 20_000;
const LEAST_REQUESTS = 100;

/** Number of round trips. The fastest one counts, because a busy machine delays some of them. */
const ROUND_TRIPS = 10;

/** Number of requests to send at once: `most`, or as many as the server answers sequentially in `BURST_MS`. */
export async function burstOf(conversation: Conversation, most: number): Promise<number> {
  let length = LEAST_REQUESTS;
  for (let trip = 0; trip < ROUND_TRIPS && length < most; trip++) {
    const startMs = performance.now();
    await conversation.barrier();
    length = Math.max(length, Math.min(most, Math.floor(BURST_MS / (performance.now() - startMs))));
  }
  return length;
}

export function idsOf(requests: readonly JsonObject[]): unknown[] {
  return requests.map(({ id }) => id);
}

/**
 * Waits for the answers to all ids, each on a separate line. The timeout starts again after each answer: a slow server does not violate a
 * rule. The wait ends early when there are as many answers as ids, even if some have the id of another request.
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
    if (!probe.answersTo(id)[0]) await conversation.settled(); // duplicate answers can reach the number before all requests are answered
    if (probe.answersTo(id)[0]) continue;
    mustBeWholeLines(ruleRun, probe);
    const missing = ids.slice(at).filter((each) => probe.answersTo(each).length === 0).length;
    const lost = `${missing} of ${ids.length} requests ${what} were not answered`;
    const repeated = ids.find((each) => probe.answersTo(each).length > 1);
    if (repeated !== undefined) {
      const times = probe.answersTo(repeated);
      const reason = `${lost}, and the one with the id ${shownId(repeated)} was answered ${times.length} times: some answers have the id of another request.`;
      throw new Violation(reason, times.slice(0, 3), OWN_IDS);
    }
    const why = probe.ended ? await probe.howItEnded() : `there was no output for ${probe.timeoutMs / 1000} s`;
    violation(`${lost}: ${why}.`);
  }
  mustBeWholeLines(ruleRun, probe);
}

const OWN_IDS =
  'Keep the id of a request in a local variable of its handler, not in a variable that the next request overwrites.';

const mixed: readonly (Frame['fault'] | undefined)[] = ['several messages', 'mixed up', 'invalid JSON'];
const isMixed = ({ fault }: Frame) => mixed.includes(fault);

/** Threads that write concurrently mix up lines only under load. Lines that are faulty without load are reported by other rules. */
function mustBeWholeLines({ seen }: ServerRuleRun, { frames }: Probe): void {
  const found = frames.filter(isMixed);
  if (found.length === 0 || seen.some((probe) => probe.frames.some(isMixed))) return;
  const problem = found[0]!.fault === 'several messages' ? 'several messages' : 'parts of messages';
  const reason = `The server wrote ${problem} on one line while it answered many requests at once.`;
  throw new Violation(reason, found.slice(0, 3), ONE_WRITE);
}

const ONE_WRITE = 'Write each message with its newline in one call, under a lock shared by all threads.';

const MOST_SHOWN_ID = 40;

/** An id as JSON, shortened: some ids have thousands of characters. */
export function shownId(id: unknown): string {
  const json = JSON.stringify(id) ?? 'null';
  return json.length > MOST_SHOWN_ID ? `${json.slice(0, MOST_SHOWN_ID)}… (${json.length} characters)` : json;
}

/** The lines that the server writes from `act` on until it is settled. `what` names the act. */
export async function framesAfter(conversation: Conversation, act: () => void, what?: string): Promise<Frame[]> {
  const { frames } = conversation.probe;
  const from = frames.length;
  act();
  await conversation.settle(what);
  return frames.slice(from);
}

export interface Anonymous {
  readonly frame: Frame;
  /** The error of the answer; undefined for a result. */
  readonly error: RpcError | undefined;
}

/** Answers without an id, or with null: to a message whose id could not be read. */
export function anonymousAnswers(frames: readonly Frame[]): Anonymous[] {
  return frames.flatMap((frame) =>
    messagesOf(frame)
      .filter((message) => isAnswer(message) && (message.id === undefined || message.id === null))
      .map((message) => ({ frame, error: errorOf(message) })),
  );
}
