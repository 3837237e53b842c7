// A request and its outcome.

import type { RequestId } from '../../wire/jsonrpc/message.ts';
import type { FlowDirection, HopFact } from '../flow/event.ts';
import type { Task } from './tasks.ts';

/**
 * `tool-error`: answered with `isError`. `cancelled`: the sender cancelled the request. `lost`: the process exited first. A response
 * that was still in the pipe replaces `lost`.
 */
export type ExchangeOutcome = 'pending' | 'ok' | 'error' | 'tool-error' | 'cancelled' | 'lost';

/** Why the watching program caused a request itself: a call that its user made, or lists that it reads to show them. */
export type Origin = 'page' | 'lists';

export interface Exchange {
  readonly server: string;
  readonly life: number;
  readonly direction: FlowDirection;
  readonly id: RequestId;
  readonly method: string;
  readonly tool: string | undefined;
  readonly progressToken: RequestId | undefined;
  /** Over HTTP: the number of the HTTP request that carried it. */
  readonly http: number | undefined;
  readonly requestSeq: number;
  readonly requestBytes: number;
  readonly startMs: number;
  outcome: ExchangeOutcome;
  /** The time at which the outcome was known. */
  endMs?: number;
  answerSeq?: number;
  answerBytes?: number;
  error?: { code: number; message: string };
  cancelSeq?: number;
  progressCount: number;
  lastProgressSeq?: number;
  /** The node that answered, for a request to a server of a fleet. */
  hop?: HopFact;
  /** The requests to servers on behalf of a client request, and the questions during it. */
  links?: Exchange[];
  /** The inverse of `links`: the client requests that this request belongs to. */
  causes?: Exchange[];
  /** The task that this request became, or belongs to. */
  task?: Task;
  /** Set for a request of the watching program. */
  origin?: Origin;
  /** Time during which questions to a person were pending, and until when it is counted. */
  askedMs?: number;
  askedUntilMs?: number;
}

export const otherWay: Readonly<Record<FlowDirection, FlowDirection>> = {
  toServer: 'fromServer',
  fromServer: 'toServer',
  toClient: 'fromClient',
  fromClient: 'toClient',
};

/** Requests that are answered when something else ends: the wait is not a latency. */
export const waitsForAnEnd: ReadonlySet<string> = new Set(['subscriptions/listen', 'tasks/result']);

export function latencyMs(exchange: Exchange): number | undefined {
  return exchange.answerSeq === undefined ? undefined : exchange.endMs! - exchange.startMs;
}

/** The latency without the time in which the server waited for a person. */
export function workMs(exchange: Exchange): number | undefined {
  const ms = latencyMs(exchange);
  return ms === undefined ? undefined : Math.max(0, ms - (exchange.askedMs ?? 0));
}

/** Adds the time of an answered question. The times of simultaneous questions count once. */
export function addQuestion(exchange: Exchange, { startMs, endMs = startMs }: Exchange): void {
  const fromMs = Math.max(startMs, exchange.askedUntilMs ?? startMs);
  exchange.askedMs = (exchange.askedMs ?? 0) + Math.max(0, endMs - fromMs);
  exchange.askedUntilMs = Math.max(endMs, exchange.askedUntilMs ?? endMs);
}

const METHOD_NOT_FOUND = -32601;

/**
 * A server of an older revision answers `server/discover` with an error. The client then sends `initialize`. A list that the watching
 * program reads may be one that the server does not have.
 */
export function isRefusedProbe({ method, outcome, origin, error }: Exchange): boolean {
  if (outcome !== 'error') return false;
  return method === 'server/discover' || (origin === 'lists' && error?.code === METHOD_NOT_FOUND);
}

export function isFailure(exchange: Exchange): boolean {
  const { outcome } = exchange;
  return outcome !== 'ok' && outcome !== 'pending' && outcome !== 'cancelled' && !isRefusedProbe(exchange);
}

const EXCHANGE_BYTES = 300;

export function weightOf({ server, method, tool, id, progressToken, error }: Exchange): number {
  const chars = server.length + method.length + (tool?.length ?? 0) + (error?.message.length ?? 0);
  return EXCHANGE_BYTES + chars + lengthOf(id) + lengthOf(progressToken);
}

function lengthOf(id: RequestId | undefined): number {
  return typeof id === 'string' ? id.length : 0;
}

/** The time of a client request: in the host before it was sent, at servers, and in the host after the last response. */
export interface ExchangeTimes {
  beforeMs: number;
  serverMs: number;
  /** Time between requests to servers: a restart, or questions to a client of 2026-07-28. */
  betweenMs: number;
  afterMs: number;
}

/** Returns undefined while the request is pending, or if it was not sent to a server. */
export function timesOf({ startMs, endMs, links = [] }: Exchange): ExchangeTimes | undefined {
  const sent = links.filter(({ direction }) => direction === 'toServer').sort((a, b) => a.startMs - b.startMs);
  const [first] = sent;
  if (!first || endMs === undefined) return undefined;
  // A call that continues after a question was sent to the server before this request started.
  let reachedMs = Math.max(first.startMs, startMs);
  const beforeMs = reachedMs - startMs;
  let serverMs = 0;
  let betweenMs = 0;
  for (const each of sent) {
    const fromMs = Math.max(each.startMs, reachedMs);
    const toMs = Math.min(Math.max(each.endMs ?? endMs, fromMs), endMs);
    betweenMs += Math.max(0, fromMs - reachedMs);
    serverMs += Math.max(0, toMs - fromMs);
    reachedMs = Math.max(reachedMs, toMs);
  }
  return { beforeMs, serverMs, betweenMs, afterMs: Math.max(0, endMs - reachedMs) };
}

/**
 * The time of a request to another node. Each node uses its own clock: the time at the other node and the total network time are exact.
 * The split of the network time depends on the offset between the clocks, which is known only with an uncertainty.
 */
export interface HopTimes {
  node: string;
  generation: number | undefined;
  pid: number | undefined;
  /** Time at the other node, including its server process. */
  nodeMs: number;
  /** Network time, both directions together. */
  wayMs: number;
  /** Network time to the other node, ± `uncertaintyMs`. Absent if the clock offset was not measured. */
  outMs?: number;
  uncertaintyMs?: number;
}

/** The start of a flow is rounded to a whole millisecond of the wall clock. */
const START_ROUNDING_MS = 1;

/** `startedAtMs`: wall clock at the start of the flow. Returns undefined unless another node answered the request. */
export function hopTimes({ hop, startMs, endMs }: Exchange, startedAtMs: number): HopTimes | undefined {
  if (!hop || endMs === undefined) return undefined;
  const { node, generation, pid, receivedMs, answeredMs, offsetMs, uncertaintyMs } = hop;
  const nodeMs = Math.min(Math.max(0, answeredMs - receivedMs), endMs - startMs);
  const wayMs = endMs - startMs - nodeMs;
  const times: HopTimes = { node, generation, pid, nodeMs, wayMs };
  if (offsetMs === undefined || uncertaintyMs === undefined) return times;
  times.outMs = Math.min(Math.max(0, receivedMs - offsetMs - startedAtMs - startMs), wayMs);
  // `outMs` is between 0 and `wayMs`, so the uncertainty cannot exceed the larger of the two parts.
  const mostMs = Math.max(times.outMs, wayMs - times.outMs);
  times.uncertaintyMs = Math.min(uncertaintyMs + START_ROUNDING_MS, mostMs);
  return times;
}

/** Deletes the oldest entries of a map that is over its limit: its keys may be invented by a peer. */
export function keepNewest(map: Map<unknown, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
