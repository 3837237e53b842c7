// Finds the exchanges of an event by its sequence number. Mostly one. The messages of a batch share a number; a Set makes removing
// one of thousands cheap.

import type { Exchange } from './exchange.ts';

export class ExchangesBySeq {
  readonly #bySeq = new Map<number, Exchange | Set<Exchange>>();

  get(seq: number): readonly Exchange[] {
    const linked = this.#bySeq.get(seq);
    if (linked === undefined) return [];
    return linked instanceof Set ? [...linked] : [linked];
  }

  link(seq: number, exchange: Exchange): void {
    const linked = this.#bySeq.get(seq);
    if (linked === undefined) this.#bySeq.set(seq, exchange);
    else if (linked instanceof Set) linked.add(exchange);
    else if (linked !== exchange) this.#bySeq.set(seq, new Set([linked, exchange]));
  }

  unlink(seq: number, exchange: Exchange): void {
    const linked = this.#bySeq.get(seq);
    if (linked === exchange) this.#bySeq.delete(seq);
    if (linked instanceof Set && linked.delete(exchange) && linked.size === 0) this.#bySeq.delete(seq);
  }
}
