// Which requests on the wires of servers, and which questions, belong to which requests of clients. A link comes shortly before or
// after the request that it names. Bounded, whatever a recording holds: nothing here refers to a request that was forgotten.

import type { LinkFact } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { keepNewest } from './keep-newest.ts';

const MOST_AWAITED = 10_000;
/** Of one request. */
const MOST_LINKS = 100;
/** A server chooses the ids of its questions. */
const LONGEST_KEY = 2_000;

export class Links {
  /** The requests of clients to which a request belongs that has not come yet. */
  readonly #awaited = new Map<string, Set<Exchange>>();
  /** Those that have come: after a question, another request of a client may continue them. */
  readonly #linked = new Map<string, Exchange>();
  /** The entries above that refer to a request. */
  readonly #keys = new WeakMap<Exchange, Set<string>>();

  /** `cause`: the request of the client. `open`: the request that belongs to it, if it has come and is not answered. */
  add(cause: Exchange, open: Exchange | undefined, { wire, wireLife, direction, id }: LinkFact): void {
    const key = JSON.stringify([wire, wireLife, direction, id]);
    const linked = open ?? this.#linked.get(key);
    if (linked) return join(cause, linked);
    if (key.length > LONGEST_KEY) return;
    const causes = this.#awaited.get(key) ?? new Set();
    if (causes.size >= MOST_LINKS) return;
    this.#awaited.set(key, causes.add(cause));
    this.#remember(cause, key);
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
    this.#remember(exchange, key);
    keepNewest(this.#linked, MOST_AWAITED);
  }

  /** The request is not known any more. */
  forget(exchange: Exchange): void {
    for (const cause of exchange.causes ?? []) cause.links = cause.links?.filter((each) => each !== exchange);
    for (const link of exchange.links ?? []) link.causes = link.causes?.filter((each) => each !== exchange);
    for (const key of this.#keys.get(exchange) ?? []) {
      this.#awaited.get(key)?.delete(exchange);
      if (this.#linked.get(key) === exchange) this.#linked.delete(key);
    }
  }

  #remember(exchange: Exchange, key: string): void {
    const keys = this.#keys.get(exchange) ?? new Set();
    this.#keys.set(exchange, keys.add(key));
    for (const oldest of keys) {
      if (keys.size <= MOST_LINKS) return;
      keys.delete(oldest);
      this.#awaited.get(oldest)?.delete(exchange);
    }
  }
}

function join(cause: Exchange, linked: Exchange): void {
  cause.links ??= [];
  linked.causes ??= [];
  if (cause.links.includes(linked) || cause.links.length >= MOST_LINKS || linked.causes.length >= MOST_LINKS) return;
  cause.links.push(linked);
  linked.causes.push(cause);
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
