// Divides the time of a request to another node. Each node uses its own clock: the time at the other node and the total network time
// are exact. The split of the network time depends on the offset between the clocks, which is known only with an uncertainty.

import type { Exchange } from './exchange.ts';

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
