// Divides the time of a client request: in the host before it was sent to a server, at servers, between two attempts, and in the
// host after the last response.

import type { Exchange } from './exchange.ts';

export interface ExchangeTimes {
  beforeMs: number;
  serverMs: number;
  /** Time between requests to servers: a restart, or questions to a client of 2026-07-28. */
  betweenMs: number;
  afterMs: number;
}

/** Undefined while the request is pending, or if it was not sent to a server. */
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
