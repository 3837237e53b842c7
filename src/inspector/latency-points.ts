// One point for each answer, for the plot: the newest, in the order they came.

import type { Exchange } from '../flow/exchange.ts';
import type { LatencyReport } from './api.ts';

type Point = LatencyReport['points'][number];

const MOST_POINTS = 5_000;

export class LatencyPoints {
  readonly #points: Point[] = [];
  #next = 0;

  add({ server, method, tool, endMs, outcome }: Exchange, latencyMs: number): void {
    const key = tool === undefined ? `${server} ${method}` : `${server} ${method} ${tool}`;
    this.#points[this.#next] = { atMs: endMs!, latencyMs, key, error: outcome !== 'ok' };
    this.#next = (this.#next + 1) % MOST_POINTS;
  }

  list(): Point[] {
    return [...this.#points.slice(this.#next), ...this.#points.slice(0, this.#next)];
  }
}
