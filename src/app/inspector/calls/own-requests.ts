// The requests to servers that the page causes: calls of its user, and lists that it reads to show them. They are known before they are
// sent, so that the timeline can mark them and the latency can leave them out.

import type { RequestLink } from '../../../mcp/service.ts';
import { type Exchange, keepNewest, type Origin } from '../../../observe/analysis/exchange.ts';

/** A piece of work of the page, with the requests to servers that it led to, oldest first. */
export interface OwnWork {
  readonly origin: Origin;
  readonly exchanges: Exchange[];
  /** The number of requests that were sent. Those to a host in another process are seen a moment later. */
  sent: number;
}

/** Requests that were announced and not seen yet. */
const MOST_AWAITED = 10_000;
const MOST_EXCHANGES = 200;

export class OwnRequests {
  readonly #awaited = new Map<string, OwnWork>();

  /** The hooks for a request of the page. */
  linkOf(work: OwnWork): RequestLink {
    return {
      sent: ({ server, life }, id) => {
        work.sent++;
        this.#awaited.set(keyOf({ server, life, id }), work);
        keepNewest(this.#awaited, MOST_AWAITED);
      },
      askedBy: () => undefined,
    };
  }

  /** Must be called with each new request to a server. Returns its origin if it was announced. */
  saw(exchange: Exchange): Origin | undefined {
    if (this.#awaited.size === 0) return undefined;
    const key = keyOf(exchange);
    const work = this.#awaited.get(key);
    if (!work) return undefined;
    this.#awaited.delete(key);
    if (work.exchanges.length < MOST_EXCHANGES) work.exchanges.push(exchange);
    return work.origin;
  }
}

export function newWork(origin: Origin): OwnWork {
  return { origin, exchanges: [], sent: 0 };
}

function keyOf({ server, life, id }: Pick<Exchange, 'server' | 'life' | 'id'>): string {
  return JSON.stringify([server, life, id]);
}
