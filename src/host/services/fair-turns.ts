// Shares one process fairly among many clients. The input of a process is one queue: thousands of requests of one client would delay all
// others. So while several clients use the process, each has at most 4 recent requests there (a principal 16), and further requests wait
// here. A slow request is no longer in the queue of the process, so it stops counting. While a single client uses the process, nothing waits.

import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { textOf } from '../../base/text-of.ts';
import type { ServiceRequest } from '../../mcp/layers/layer.ts';
import type { Caller, ClientFacts, Params, Result } from '../../mcp/service.ts';
import { InFlight } from '../../wire/requests/in-flight.ts';

/** Limits of recent requests at the process, per client and per principal, while others use it too. */
const CLIENT_SHARE = 4;
const PRINCIPAL_SHARE = 16;
/** The weight of a request is 1, plus 1 for each 16 KB of its size. */
const BYTES_OF_ONE = 16 * 1024;
/** A request counts as recent for one to two ticks of this length. */
const FRESH_MS = 50;
/** A client that sent nothing for this many ticks no longer counts as a user of the process. */
const IDLE_TICKS = 20;

class Share {
  /** Weight of the recent requests of this tick and of the previous one. */
  #now = 0;
  #before = 0;
  inFlight = 0;
  usedAt = 0;

  get fresh(): number {
    return this.#now + this.#before;
  }

  begin(weight: number, tick: number): void {
    this.#now += weight;
    this.inFlight++;
    this.usedAt = tick;
  }

  /** `age`: in ticks. */
  end(weight: number, age: number): void {
    if (age === 0) this.#now -= weight;
    else if (age === 1) this.#before -= weight;
    this.inFlight--;
  }

  grow(): void {
    this.#before = this.#now;
    this.#now = 0;
  }
}

interface Waiting {
  start(): void;
}

class ClientShare extends Share {
  readonly principal: PrincipalShare;
  /** Waiting requests by consecutive numbers. A `Set` would retain thousands of ended requests. */
  readonly #waiting = new InFlight<number, Waiting>();
  #added = 0;
  #taken = 0;

  constructor(principal: PrincipalShare) {
    super();
    this.principal = principal;
  }

  get waits(): number {
    return this.#waiting.size;
  }

  /** Returns the number for `withdraw`. */
  add(waiting: Waiting): number {
    this.#waiting.add(++this.#added, waiting);
    return this.#added;
  }

  withdraw(number: number): void {
    this.#waiting.delete(number);
  }

  takeFirst(): Waiting | undefined {
    let first: Waiting | undefined;
    while (!first && this.#taken < this.#added) first = this.#waiting.take(++this.#taken);
    return first;
  }
}

class PrincipalShare extends Share {
  clients = 0;
  /** Clients with waiting requests that their own limit permits, in the order of their turns. */
  readonly turns = new Set<ClientShare>();
}

export class FairTurns {
  readonly #request: ServiceRequest;
  readonly #clock: Clock;
  readonly #clients = new Map<string, ClientShare>();
  readonly #principals = new Map<string | undefined, PrincipalShare>();
  #tick = 0;
  #timer: Timer | undefined;

  constructor(request: ServiceRequest, clock: Clock = systemClock) {
    this.#request = request;
    this.#clock = clock;
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    const client = this.#shareOf(caller.client);
    const weight = this.#clients.size === 1 ? 1 : 1 + Math.floor((caller.requestBytes ?? 0) / BYTES_OF_ONE);
    if (client.waits === 0 && this.#mayBegin(client)) return this.#run(client, weight, method, params, caller);
    return this.#wait(client, weight, method, params, caller);
  }

  /** Runs a request that the host sends on behalf of a client, such as a subscription, when it is the turn of the client. */
  turn<T>(facts: ClientFacts, send: () => Promise<T>): Promise<T> {
    const client = this.#shareOf(facts);
    const run = async () => {
      const ended = this.#begin(client, 1);
      try {
        return await send();
      } finally {
        ended();
      }
    };
    if (client.waits === 0 && this.#mayBegin(client)) return run();
    return new Promise((resolve) => {
      client.add({ start: () => resolve(run()) });
      if (this.#clientMayBegin(client)) client.principal.turns.add(client);
    });
  }

  get waiting(): number {
    let waiting = 0;
    for (const client of this.#clients.values()) waiting += client.waits;
    return waiting;
  }

  #run(client: ClientShare, weight: number, method: string, params: Params, caller: Caller): Result | Promise<Result> {
    const ended = this.#begin(client, weight);
    try {
      const result = this.#request(method, params, caller);
      if (result instanceof Promise) result.then(ended, ended);
      else ended();
      return result;
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Returns a function to call when the request has ended. */
  #begin(client: ClientShare, weight: number): () => void {
    const begun = this.#tick;
    client.begin(weight, begun);
    client.principal.begin(weight, begun);
    return () => {
      client.end(weight, this.#tick - begun);
      client.principal.end(weight, this.#tick - begun);
      if (this.#timer) this.#next(client);
    };
  }

  #wait(client: ClientShare, weight: number, method: string, params: Params, caller: Caller): Promise<Result> {
    const { signal } = caller;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const cancelled = () => {
        client.withdraw(number);
        reject(signal?.reason);
      };
      const number = client.add({
        start: () => {
          signal?.removeEventListener('abort', cancelled);
          try {
            resolve(this.#run(client, weight, method, params, caller));
          } catch (error) {
            reject(error);
          }
        },
      });
      signal?.addEventListener('abort', cancelled, { once: true });
      if (this.#clientMayBegin(client)) client.principal.turns.add(client);
    });
  }

  #next(client: ClientShare): void {
    if (client.waits > 0 && this.#clientMayBegin(client)) client.principal.turns.add(client);
    this.#pump(client.principal);
  }

  #pump(principal: PrincipalShare): void {
    for (const client of principal.turns) {
      if (!this.#principalMayBegin(principal)) return;
      principal.turns.delete(client);
      if (!this.#clientMayBegin(client)) continue;
      client.takeFirst()?.start();
      // Moves the client to the end. A Set iterates in insertion order, also over entries added in the meantime.
      if (client.waits > 0 && this.#clientMayBegin(client)) principal.turns.add(client);
    }
  }

  #mayBegin(client: ClientShare): boolean {
    return this.#clientMayBegin(client) && this.#principalMayBegin(client.principal);
  }

  #clientMayBegin(client: ClientShare): boolean {
    return this.#clients.size === 1 || client.fresh < CLIENT_SHARE;
  }

  #principalMayBegin(principal: PrincipalShare): boolean {
    return this.#principals.size === 1 || principal.fresh < PRINCIPAL_SHARE;
  }

  #shareOf(facts: ClientFacts): ClientShare {
    const key = clientKey(facts);
    const known = this.#clients.get(key);
    if (known) return known;
    const name = facts.identity.principal;
    const principal = this.#principals.get(name) ?? new PrincipalShare();
    this.#principals.set(name, principal);
    principal.clients++;
    const client = new ClientShare(principal);
    client.usedAt = this.#tick;
    this.#clients.set(key, client);
    if (this.#clients.size > 1 && !this.#timer) this.#watch();
    return client;
  }

  /** Starts the timer, which runs only while there are several clients. */
  #watch(): void {
    this.#timer = this.#clock.after(FRESH_MS, () => {
      this.#tick++;
      for (const principal of this.#principals.values()) principal.grow();
      for (const [key, client] of this.#clients) {
        client.grow();
        if (client.inFlight + client.waits > 0) client.usedAt = this.#tick;
        if (this.#tick - client.usedAt > IDLE_TICKS && this.#clients.size > 1) this.#forget(key, client);
      }
      for (const client of this.#clients.values()) if (client.waits > 0) client.principal.turns.add(client);
      for (const principal of this.#principals.values()) this.#pump(principal);
      this.#timer = undefined;
      if (this.#clients.size > 1) this.#watch();
    });
    this.#timer.keepAlive(false);
  }

  #forget(key: string, client: ClientShare): void {
    this.#clients.delete(key);
    if (--client.principal.clients > 0) return;
    for (const [name, principal] of this.#principals) if (principal === client.principal) this.#principals.delete(name);
  }
}

/**
 * A session or a connection is one client. Over HTTP in 2026-07-28, each request is its own client: requests of one principal with
 * the same client name count as one client.
 */
function clientKey({ identity: { id, affinity }, info }: ClientFacts): string {
  return affinity === id ? id : `${affinity}\n${textOf(info?.name ?? '')}`;
}
