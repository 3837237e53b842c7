// Which requests on the wires of servers, and which questions, belong to which requests of clients. A link comes shortly before or
// after the request that it names. Bounded, whatever a recording holds.

import type { LinkFact } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { keepNewest } from './keep-newest.ts';

const MOST_AWAITED = 10_000;
/** Of one request. */
const MOST_LINKS = 100;

export class Links {
  /** The requests of clients to which a request belongs that has not come yet. */
  readonly #awaited = new Map<string, Exchange[]>();
  /** Those that have come: after a question, another request of a client may continue them. */
  readonly #linked = new Map<string, Exchange>();

  /** `cause`: the request of the client. `open`: the request that belongs to it, if it has come and is not answered. */
  add(cause: Exchange, open: Exchange | undefined, { wire, wireLife, direction, id }: LinkFact): void {
    const key = JSON.stringify([wire, wireLife, direction, id]);
    const linked = open ?? this.#linked.get(key);
    if (linked) return join(cause, linked);
    this.#awaited.set(key, [...(this.#awaited.get(key) ?? []).slice(-MOST_LINKS), cause]);
    keepNewest(this.#awaited, MOST_AWAITED);
  }

  /** A request has come. */
  came(exchange: Exchange): void {
    if (this.#awaited.size === 0) return;
    const { server, life, direction, id } = exchange;
    const key = JSON.stringify([server, life, direction, id]);
    const causes = this.#awaited.get(key);
    if (!causes) return;
    for (const cause of causes) join(cause, exchange);
    this.#awaited.delete(key);
    this.#linked.set(key, exchange);
    keepNewest(this.#linked, MOST_AWAITED);
  }
}

function join(cause: Exchange, linked: Exchange): void {
  cause.links ??= [];
  linked.causes ??= [];
  if (cause.links.length < MOST_LINKS && !cause.links.includes(linked)) cause.links.push(linked);
  if (linked.causes.length < MOST_LINKS && !linked.causes.includes(cause)) linked.causes.push(cause);
}

/** All requests that belong together with this one, in the order in which they began: more than one only where there are links. */
export function linkedWith(exchange: Exchange): Exchange[] {
  const found = new Set([exchange]);
  for (const each of found) {
    if (found.size > MOST_LINKS) break;
    for (const other of [...(each.links ?? []), ...(each.causes ?? [])]) found.add(other);
  }
  return [...found].sort((a, b) => a.requestSeq - b.requestSeq);
}
