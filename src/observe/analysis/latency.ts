// Latency and errors by method and tool, and a point for each of the newest responses. Percentiles are exact over the newest SAMPLES
// responses of a row. The number of rows is bounded: further methods, and very long names, are counted in one row "(others)".

import { methodsOfMcp, questionMethods } from '../../mcp/methods.ts';
import type { Origin } from './exchange.ts';

interface LatencyKey {
  server: string;
  method: string;
  tool?: string | undefined;
  /** `lists`: requests that the watching program makes to show the lists of a server. They say little about its clients. */
  origin?: Origin | undefined;
}

export interface LatencyRow extends LatencyKey {
  /** All responses, including errors. */
  count: number;
  /** Protocol errors and tool errors. */
  errors: number;
  /** As for a point. */
  aside?: true;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

export interface LatencyPoint {
  atMs: number;
  latencyMs: number;
  /** "SERVER METHOD" or "SERVER METHOD TOOL". */
  key: string;
  error: boolean;
  /** The latency is not that of a server at work: the start of a process, the wait for a person, or lists that are read for the page. */
  aside?: true;
}

/** The number of responses per row that percentiles are computed from. */
export const SAMPLES = 1000;
const MAX_ROWS = 1000;
export const MAX_POINTS = 5_000;
const LONGEST_NAME = 2000;
const OTHERS = '(others)';

interface Samples extends LatencyKey {
  count: number;
  errors: number;
  newest: Float64Array;
}

export class Latency {
  readonly #rows = new Map<string, Samples>();
  /** A ring buffer. Once it is full, `#next` is the index of the oldest point. */
  readonly #points: LatencyPoint[] = [];
  #next = 0;
  /** The number of all responses, also of those whose points were dropped. */
  total = 0;

  add(key: LatencyKey, atMs: number, ms: number, failed: boolean): void {
    const row = this.#row(key);
    if (row.count >= row.newest.length && row.newest.length < SAMPLES) row.newest = grown(row.newest);
    row.newest[row.count % row.newest.length] = ms;
    row.count++;
    if (failed) row.errors++;
    const { server, method, tool } = row;
    const name = tool === undefined ? `${server} ${method}` : `${server} ${method} ${tool}`;
    this.total++;
    this.#points[this.#next] = { atMs, latencyMs: ms, key: name, error: failed, ...(isAside(row) && { aside: true }) };
    this.#next = (this.#next + 1) % MAX_POINTS;
  }

  /** Returns the points, oldest first. */
  points(): LatencyPoint[] {
    return [...this.#points.slice(this.#next), ...this.#points.slice(0, this.#next)];
  }

  rows(): LatencyRow[] {
    return [...this.#rows.values()].map(({ newest, ...known }) => {
      const row = { ...known, ...(isAside(known) && { aside: true as const }) };
      const sorted = newest.slice(0, row.count).sort();
      const rank = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
      return { ...row, p50Ms: rank(0.5), p95Ms: rank(0.95), p99Ms: rank(0.99) };
    });
  }

  #row({ server, method, tool, origin: by }: LatencyKey): Samples {
    const origin = by === 'lists' ? by : undefined;
    const name = JSON.stringify([server, method, tool, origin]);
    const row = this.#rows.get(name);
    if (row) return row;
    const isOneTooMany = this.#rows.size >= MAX_ROWS || name.length > LONGEST_NAME;
    if (isOneTooMany && method !== OTHERS) return this.#row({ server: OTHERS, method: OTHERS });
    const fresh = {
      server,
      method,
      tool,
      ...(origin && { origin }),
      count: 0,
      errors: 0,
      newest: new Float64Array(16),
    };
    this.#rows.set(name, fresh);
    return fresh;
  }
}

function isAside({ method, origin }: LatencyKey): boolean {
  return origin === 'lists' || methodsOfMcp.get(method)?.isHandshake === true || questionMethods.includes(method);
}

/** Grows in steps: most methods are called a few times and need no room for SAMPLES values. */
function grown(samples: Float64Array): Float64Array {
  const larger = new Float64Array(Math.min(SAMPLES, samples.length * 4));
  larger.set(samples);
  return larger;
}
