// Requests that wait for their answer, by process: so that its end can be told to all of them. Those of a process that
// ended are suspects for a moment: an answer that was still in the pipe clears them.

import type { FlowStamp } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { keepNewest } from './keep-newest.ts';

const MOST_OPEN = 10_000;
const MOST_LIVES = 1_000;
const SUSPECT_MS = 100;
/** Questions that are meant to stay open: news come as long as they do. */
const staysOpen = new Set(['subscriptions/listen']);

export class OpenRequests {
  readonly #byLife = new Map<string, Set<Exchange>>();
  #suspects: { exchange: Exchange; sinceMs: number }[] = [];

  add(exchange: Exchange): void {
    const key = keyOf(exchange);
    const open = this.#byLife.get(key) ?? new Set();
    this.#byLife.set(key, open);
    keepNewest(this.#byLife, MOST_LIVES);
    if (open.size < MOST_OPEN) open.add(exchange);
  }

  remove(exchange: Exchange): void {
    this.#byLife.get(keyOf(exchange))?.delete(exchange);
  }

  /** The process has ended: what was open is lost, as far as one knows. */
  end(life: FlowStamp, nowMs: number): Exchange[] {
    const open = [...(this.#byLife.get(keyOf(life)) ?? [])];
    this.#byLife.delete(keyOf(life));
    const asked = open.filter(({ direction, method }) => direction === 'toServer' && !staysOpen.has(method));
    this.#suspects.push(...asked.map((exchange) => ({ exchange, sinceMs: nowMs })));
    return open;
  }

  get hasSuspects(): boolean {
    return this.#suspects.length > 0;
  }

  /** Those that are lost beyond doubt. Each is told once. */
  takeLost(nowMs: number): Exchange[] {
    const due = this.#suspects.filter(({ sinceMs }) => nowMs - sinceMs >= SUSPECT_MS);
    if (due.length === 0) return [];
    this.#suspects = this.#suspects.slice(due.length);
    return due.map(({ exchange }) => exchange).filter(({ outcome }) => outcome === 'lost');
  }
}

function keyOf({ server, life }: { server: string; life: number }): string {
  return `${life} ${server}`;
}
