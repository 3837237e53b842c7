// One point for each answer, for the plot: the newest, in the order they came.

import { type Exchange, isFailure } from '../flow/exchange.ts';
import type { LatencyReport } from './api.ts';

type Point = LatencyReport['points'][number];

const MOST_POINTS = 5_000;

export class LatencyPoints {
  readonly #points: Point[] = [];
  #next = 0;

  add(exchange: Exchange, latencyMs: number): void {
    const { server, method, tool, endMs } = exchange;
    const key = tool === undefined ? `${server} ${method}` : `${server} ${method} ${tool}`;
    this.#points[this.#next] = { atMs: endMs!, latencyMs, key, error: isFailure(exchange) };
    this.#next = (this.#next + 1) % MOST_POINTS;
  }

  list(): Point[] {
    return [...this.#points.slice(this.#next), ...this.#points.slice(0, this.#next)];
  }
}
