// Serves any number of clients with one service: a front for each, and what the fronts share.

import { type Clock, systemClock } from '../../base/clock.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { JsonRpcRequest } from '../../jsonrpc/message.ts';
import type { PeerOptions } from '../../jsonrpc/peer.ts';
import { InFlight } from '../../requests/in-flight.ts';
import { type ClientFacts, type ClientIdentity, newClient, type Service } from '../service.ts';
import type { CacheHints } from '../types.ts';
import type { ClientObserver } from './client-observer.ts';
import { Front } from './front.ts';
import { ModernEra } from './modern-era.ts';
import { type SingleReply, SingleRequest } from './single-request.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export const DEFAULT_ASK_TIMEOUT_MS = 10 * 60_000;

export interface FrontOptions {
  /** 2026-07-28: how long clients may keep lists and contents, where the service does not say. Not at all by default. */
  cache?: CacheHints;
  /** How long a client may take to answer a question. A person may be behind it. */
  askTimeoutMs?: number;
  /** 2026-07-28: how many requests may wait for their clients' answers at a time; the oldest is ended. */
  maxSuspended?: number;
  /** 2026-07-28: how many bytes those requests may have in all. */
  maxSuspendedBytes?: number;
  /** 2026-07-28: how long they outlive their connection, for a client that resumes on another. Not at all by default. */
  orphanedMs?: number;
  /** How many requests of a client run at a time, and how many more may wait. */
  maxConcurrent?: number;
  maxQueued?: number;
  /** How many bytes those that run and wait may have in all. */
  maxInboundBytes?: number;
  /** Send clients the code, hint and evidence of an error. Only for clients that may read the server's stderr and environment. */
  exposeErrors?: boolean;
  /** @internal Clients are the other nodes of a fleet: they may ask for log messages that belong to no request. */
  isOfNodes?: boolean;
  clock?: Clock;
}

export class Fronts {
  readonly service: Service;
  readonly suspended: SuspendedCalls;
  readonly askTimeoutMs: number;
  /** What the clients of 2026-07-28 have in common. */
  readonly modern: ModernEra;
  readonly exposeErrors: boolean;
  readonly #peer: PeerOptions;
  readonly #open = new InFlight<number, Front | SingleRequest>();
  #opened = 0;

  constructor(service: Service, options: FrontOptions = {}) {
    const { maxConcurrent, maxQueued, maxInboundBytes, clock } = options;
    this.service = service;
    this.askTimeoutMs = options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS;
    this.exposeErrors = options.exposeErrors ?? false;
    this.#peer = { maxConcurrent, maxQueued, maxInboundBytes, clock };
    this.suspended = new SuspendedCalls({
      clock: clock ?? systemClock,
      maxSuspended: options.maxSuspended ?? 1000,
      maxSuspendedBytes: options.maxSuspendedBytes ?? 256 * 1024 * 1024,
      suspendedMs: this.askTimeoutMs,
      orphanedMs: options.orphanedMs ?? 0,
    });
    const cache = { ttlMs: 0, cacheScope: 'private' as const, ...options.cache };
    this.modern = new ModernEra(service, this.suspended, cache, options.isOfNodes);
  }

  /** Serves a client over a transport, ours or the official one. Resolves when the transport has started. */
  async connect(channel: Channel, client: ClientIdentity = newClient(), observer?: ClientObserver): Promise<Front> {
    const front = new Front(this, channel, client, this.#peer, observer);
    const number = ++this.#opened;
    this.#open.add(number, front);
    void front.closed.then(() => this.#open.delete(number));
    await front.peer.start();
    return front;
  }

  /** Serves a request of 2026-07-28 that has a reply of its own, and no connection that others share. */
  serve(
    request: JsonRpcRequest,
    bytes: number,
    client: ClientFacts,
    reply: SingleReply,
    observer?: ClientObserver,
  ): void {
    const single = new SingleRequest(this, request, bytes, client, reply, observer);
    const number = ++this.#opened;
    this.#open.add(number, single);
    single.onover = () => this.#open.delete(number);
    single.run();
  }

  async close(): Promise<void> {
    this.suspended.dropAll('the server closes');
    await Promise.all([...this.#open.values()].map((open) => open.close()));
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Serves one client with a service. */
export function serve(service: Service, channel: Channel, options?: FrontOptions): Promise<Front> {
  return new Fronts(service, options).connect(channel);
}
