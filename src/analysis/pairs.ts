// Requests and what became of them, of both protocols.

import type { FlowEvent } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { Exchanges } from './exchanges.ts';
import type { LatencyRow } from './latency.ts';
import { LiteExchanges } from './lite-exchanges.ts';

const MOST_EXCHANGES = 150_000;

export class Pairs {
  readonly #mcp = new Exchanges({ maxExchanges: MOST_EXCHANGES });
  readonly #lite = new LiteExchanges();

  see(event: FlowEvent): void {
    this.#lite.see(event);
    try {
      this.#mcp.see(event);
    } catch {
      // A message that nobody can make sense of belongs to no request; its row says so.
    }
  }

  /** What the event with that number belongs to. */
  forSeq(seq: number): readonly Exchange[] {
    const lite = this.#lite.forSeq(seq);
    return lite.length > 0 ? lite : this.#mcp.forSeq(seq);
  }

  latencyRows(): LatencyRow[] {
    return [...this.#mcp.latency.rows(), ...this.#lite.latency.rows()];
  }
}
