// Links client requests to the server requests and questions that they caused. A link arrives shortly before or after the request that
// it names. Bounded, whatever a recording contains: nothing here refers to a forgotten request.

import type { LinkFact } from '../flow/event.ts';
import { type Exchange, keepNewest } from './exchange.ts';

const MOST_AWAITED = 10_000;
/** Limit per request. */
const MOST_LINKS = 100;
/** Longest key in characters. A server chooses the ids of its questions. */
const LONGEST_KEY = 2_000;

export class Links {
  /** Client requests by the key of a linked request that was not seen yet. */
  readonly #awaited = new Map<string, Set<Exchange>>();
  /** Linked requests that were seen. After a question, another client request may continue them. */
  readonly #linked = new Map<string, Exchange>();
  /** The keys of the maps above whose entries refer to a request. */
  readonly #keys = new WeakMap<Exchange, Set<string>>();

  /** `cause`: the client request. `open`: the linked request, if it was seen and is pending. */
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

  /** Joins a new request with the client requests that wait for it. */
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

  /** Removes all references to a request. */
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

/** This request and all requests linked with it, directly or through others, in the order of their start. */
export function linkedWith(exchange: Exchange): Exchange[] {
  const found = new Set([exchange]);
  for (const each of found) {
    if (found.size > MOST_LINKS) break;
    for (const other of [...(each.links ?? []), ...(each.causes ?? [])]) found.add(other);
  }
  return [...found].sort((a, b) => a.requestSeq - b.requestSeq);
}
