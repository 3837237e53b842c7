// Serves any number of clients from one service: one client adapter for each, and the state that they share.

import { type Clock, systemClock } from '../../base/clock.ts';
import { RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { Channel } from '../../wire/jsonrpc/channel.ts';
import type { JsonRpcNotification, JsonRpcRequest } from '../../wire/jsonrpc/message.ts';
import type { PeerOptions } from '../../wire/jsonrpc/peer.ts';
import { InFlight } from '../../wire/requests/in-flight.ts';
import { isOfMcp } from '../methods.ts';
import { type ClientFacts, type ClientIdentity, newClient, type Service } from '../service.ts';
import type { CacheHints } from '../types.ts';
import { ClientAdapter } from './client-adapter.ts';
import type { ClientObserver } from './client-observer.ts';
import { readEnvelope } from './envelope.ts';
import { ModernEra } from './modern-era.ts';
import { type SingleReply, SingleRequest } from './single-request.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export const DEFAULT_ASK_TIMEOUT_MS = 10 * 60_000;

export interface ClientAdapterOptions {
  /** 2026-07-28: how long clients may cache lists and contents if the service does not set it. Default: not at all. */
  cache?: CacheHints;
  /** How long a client may take to answer a question, which a person may have to answer. Default: 10 minutes. */
  askTimeoutMs?: number;
  /**
   * 2026-07-28: the maximum number of requests that wait for answers from their clients; beyond it the oldest is ended.
   * Default: 1000.
   */
  maxSuspended?: number;
  /** 2026-07-28: the maximum bytes of all requests that wait for answers from their clients. Default: 256 MiB. */
  maxSuspendedBytes?: number;
  /**
   * 2026-07-28: how long such requests outlive their connection, for a client that resumes on another. Default: not at
   * all.
   */
  orphanedMs?: number;
  /** How many requests from a client run at a time, and how many more may wait. */
  maxConcurrent?: number;
  maxQueued?: number;
  /** The maximum bytes of running and waiting requests together. */
  maxInboundBytes?: number;
  /** Sends the code, hint and evidence of errors. Only for clients that may read the server's stderr and environment. */
  exposeErrors?: boolean;
  clock?: Clock;
}

export class ClientAdapters {
  readonly service: Service;
  readonly suspended: SuspendedCalls;
  readonly askTimeoutMs: number;
  /** The state that all clients of 2026-07-28 share. */
  readonly modern: ModernEra;
  readonly exposeErrors: boolean;
  readonly #peer: PeerOptions;
  readonly #open = new InFlight<number, ClientAdapter | SingleRequest>();
  #opened = 0;

  constructor(service: Service, options: ClientAdapterOptions = {}) {
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
    this.modern = new ModernEra(service, this.suspended, cache);
  }

  /** Serves a client over a transport of Standpipe or of the official SDK. Resolves when the transport has started. */
  async connect(
    channel: Channel,
    client: ClientIdentity = newClient(),
    observer?: ClientObserver,
  ): Promise<ClientAdapter> {
    const adapter = new ClientAdapter(this, channel, client, this.#peer, observer);
    const number = ++this.#opened;
    this.#open.add(number, adapter);
    void adapter.closed.then(() => this.#open.delete(number));
    await adapter.peer.start();
    return adapter;
  }

  /** Serves a request of 2026-07-28 that has its own reply and does not share a connection with others. */
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

  /** Takes a notification of 2026-07-28 that names its client. Only extensions have such notifications. */
  notified({ method, params }: JsonRpcNotification, identity: ClientIdentity): void | Promise<void> {
    const meta = params?._meta;
    const client = isOfMcp(method) || !isObject(meta) ? undefined : readEnvelope(meta, identity);
    return client && !(client instanceof RpcError) ? this.service.notify(method, params, client) : undefined;
  }

  async close(): Promise<void> {
    this.suspended.dropAll('the server closes');
    await Promise.all([...this.#open.values()].map((open) => open.close()));
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Serves one client from a service. */
export function serve(service: Service, channel: Channel, options?: ClientAdapterOptions): Promise<ClientAdapter> {
  return new ClientAdapters(service, options).connect(channel);
}
