// Where the time of a request to another node went. Each node measures by its own clock: the time at the other node, and the time on
// the way there and back together, are exact. How the way is divided depends on the offset between the clocks, which is measured only
// roughly: it has an uncertainty.

import type { Exchange } from './exchange.ts';

export interface HopTimes {
  node: string;
  generation: number | undefined;
  pid: number | undefined;
  /** At the other node, its process included. */
  nodeMs: number;
  /** On the way there and back. */
  wayMs: number;
  /** On the way there, as the offset of the clocks says it: the true time is within `uncertaintyMs`. Absent: no offset was measured. */
  outMs?: number;
  uncertaintyMs?: number;
}

/** A flow begins at a whole millisecond of the wall clock. */
const START_ROUNDING_MS = 1;

/** `startedAtMs`: the wall clock at the beginning of the flow. Undefined for a request that no other node has answered. */
export function hopTimes({ hop, startMs, endMs }: Exchange, startedAtMs: number): HopTimes | undefined {
  if (!hop || endMs === undefined) return undefined;
  const { node, generation, pid, receivedMs, answeredMs, offsetMs, uncertaintyMs } = hop;
  const nodeMs = Math.min(Math.max(0, answeredMs - receivedMs), endMs - startMs);
  const wayMs = endMs - startMs - nodeMs;
  const times: HopTimes = { node, generation, pid, nodeMs, wayMs };
  if (offsetMs === undefined || uncertaintyMs === undefined) return times;
  times.outMs = Math.min(Math.max(0, receivedMs - offsetMs - startedAtMs - startMs), wayMs);
  // The way there is never less than nothing and never more than the whole way.
  const mostMs = Math.max(times.outMs, wayMs - times.outMs);
  times.uncertaintyMs = Math.min(uncertaintyMs + START_ROUNDING_MS, mostMs);
  return times;
}
