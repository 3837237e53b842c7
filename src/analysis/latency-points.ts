// One point for each answer, for the plot: the newest, in the order they came.

import { type Exchange, isFailure } from './exchange.ts';

export interface LatencyPoint {
  atMs: number;
  latencyMs: number;
  /** "SERVER METHOD" or "SERVER METHOD TOOL". */
  key: string;
  error: boolean;
}

const MOST_POINTS = 5_000;

export class LatencyPoints {
  readonly #points: LatencyPoint[] = [];
  #next = 0;

  add(exchange: Exchange, latencyMs: number): void {
    const { server, method, tool, endMs } = exchange;
    const key = tool === undefined ? `${server} ${method}` : `${server} ${method} ${tool}`;
    this.#points[this.#next] = { atMs: endMs!, latencyMs, key, error: isFailure(exchange) };
    this.#next = (this.#next + 1) % MOST_POINTS;
  }

  list(): LatencyPoint[] {
    return [...this.#points.slice(this.#next), ...this.#points.slice(0, this.#next)];
  }
}
