// Pairs the requests of LiteMCP with their answers, as Exchanges does for JSON-RPC. Bounded: the oldest are forgotten.

import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import { describe } from './describe.ts';
import type { Exchange } from './exchange.ts';
import { keepNewest } from './keep-newest.ts';
import { LatencyTable } from './latency.ts';

const MOST_EXCHANGES = 50_000;

export class LiteExchanges {
  readonly latency = new LatencyTable();
  readonly #open = new Map<string, Exchange>();
  /** Requests and answers alike, oldest first. */
  readonly #bySeq = new Map<number, [Exchange]>();

  forSeq(seq: number): readonly Exchange[] {
    return this.#bySeq.get(seq) ?? [];
  }

  see(event: FlowEvent): void {
    if (event.kind === 'frame') this.#frame(event);
    else if (event.kind === 'exit') this.#lost(event);
  }

  #frame(event: FrameEvent): void {
    const { lite, messages } = describe(event);
    const [message] = messages;
    if (!lite || message?.id === undefined) return;
    const key = JSON.stringify([event.server, event.life, message.id]);
    if (message.kind === 'request') {
      const exchange: Exchange = {
        server: event.server,
        life: event.life,
        direction: event.direction,
        id: message.id,
        method: message.method ?? '',
        tool: message.tool,
        progressToken: undefined,
        requestSeq: event.seq,
        requestBytes: event.length,
        startMs: event.atMs,
        outcome: 'pending',
        progressCount: 0,
      };
      this.#open.set(key, exchange);
      keepNewest(this.#open, MOST_EXCHANGES);
      this.#link(event.seq, exchange);
      return;
    }
    const exchange = this.#open.get(key);
    if (!exchange) return;
    this.#open.delete(key);
    this.#link(event.seq, exchange);
    exchange.answerSeq = event.seq;
    exchange.answerBytes = event.length;
    exchange.endMs = event.atMs;
    exchange.outcome = message.toolError ? 'tool-error' : 'ok';
    this.latency.add(exchange, exchange.endMs - exchange.startMs, exchange.outcome !== 'ok');
  }

  #lost({ server, life, atMs }: FlowEvent): void {
    for (const exchange of this.#open.values()) {
      if (exchange.server !== server || exchange.life !== life) continue;
      exchange.outcome = 'lost';
      exchange.endMs = atMs;
    }
  }

  #link(seq: number, exchange: Exchange): void {
    this.#bySeq.set(seq, [exchange]);
    keepNewest(this.#bySeq, MOST_EXCHANGES * 2);
  }
}
