// Client adapter: serves one client from a service, in both eras at once. A request that describes itself in `_meta` is
// served by 2026-07-28, any other by the revision that `initialize` agreed on. All differences between the eras are in
// this folder. Must not know about methods that both eras have, which belong to the service.

import { toRpcError } from '../../base/error-json.ts';
import { RpcError } from '../../base/errors.ts';
import type { Channel } from '../../wire/jsonrpc/channel.ts';
import type { InboundCall, RequestHandler } from '../../wire/jsonrpc/inbound.ts';
import { Peer, type PeerOptions } from '../../wire/jsonrpc/peer.ts';
import { SENT } from '../../wire/requests/pending-requests.ts';
import { PROTOCOL_VERSION_KEY } from '../meta.ts';
import { isIn, methodsOfMcp } from '../methods.ts';
import { ownInfo } from '../own-info.ts';
import { invalidParams } from '../protocol-errors.ts';
import { NEWEST_LEGACY, NEWEST_MODERN } from '../revisions.ts';
import type { ClientIdentity, Params, Result, Service } from '../service.ts';
import type { RequestId } from '../types.ts';
import type { ClientAdapters } from './client-adapters.ts';
import type { ClientObserver } from './client-observer.ts';
import { readEnvelope } from './envelope.ts';
import { LegacyEra } from './legacy-era.ts';
import { ModernConnection, type ModernEra } from './modern-era.ts';
import { Notifier } from './notifier.ts';
import { fromDialect, toDialect } from './transcript-dialect.ts';

const urgent = [...methodsOfMcp].filter(([, { isUrgent }]) => isUrgent).map(([method]) => method);

export class ClientAdapter {
  readonly peer: Peer;
  /** Resolves when the connection has ended, with the reason if there is one. */
  readonly closed: Promise<Error | undefined>;
  readonly #service: Service;
  readonly #legacy: LegacyEra;
  readonly #era: ModernEra;
  readonly #modern: ModernConnection;

  constructor(
    { service, suspended, modern, askTimeoutMs, exposeErrors }: ClientAdapters,
    channel: Channel,
    client: ClientIdentity,
    options: PeerOptions,
    observer?: ClientObserver,
  ) {
    const peer = new Peer(channel, options);
    const notifier = new Notifier((method, params, request) => this.#notify(method, params, request));
    this.peer = peer;
    this.#service = service;
    this.#legacy = new LegacyEra(service, client, peer, notifier, askTimeoutMs, observer);
    this.#era = modern;
    this.#modern = new ModernConnection(client, notifier, channel.writesText === true, observer);
    const serve: RequestHandler = (params, inbound) => this.#serve(inbound.request.method, params, inbound);
    const serving = exposeErrors ? exposingErrors(serve) : serve;
    peer.handleOthers(serving);
    for (const method of urgent) peer.handle(method, serving, { urgent: true });
    peer.onOtherNotification((params, method) => this.#notified(method, params));
    peer.onending = () => void this.#modern.endSubscriptions();
    peer.onfull = (isFull) => notifier.setFull(isFull);
    this.closed = new Promise((resolve) => {
      peer.onclose = (cause) => {
        this.#legacy.close();
        suspended.connectionClosed(notifier);
        service.gone?.(client);
        observer?.closed();
        resolve(cause);
      };
    });
  }

  async close(): Promise<void> {
    await this.#modern.endSubscriptions(); // a transport that closes at once would lose these answers
    await this.peer.close();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(method: string, params: Params, inbound: InboundCall): Result | Promise<Result> {
    const translated = fromDialect(method, params);
    if (!translated) return this.#inEra(method, params, inbound);
    const result = this.#inEra(translated.method, translated.params, inbound);
    return result instanceof Promise
      ? result.then((settled) => toDialect(translated.method, settled))
      : toDialect(translated.method, result);
  }

  #inEra(method: string, params: Params, inbound: InboundCall): Result | Promise<Result> {
    const meta = params._meta as Params | undefined;
    if (meta?.[PROTOCOL_VERSION_KEY] !== undefined) {
      const client = readEnvelope(meta, this.#modern.identity);
      if (client instanceof RpcError) throw client;
      return this.#era.serve(method, params, inbound, client, this.#modern);
    }
    if (!this.#legacy.session && this.#isModern(method)) {
      throw invalidParams(`${method} needs "_meta" with "${PROTOCOL_VERSION_KEY}" in the revision ${NEWEST_MODERN}`);
    }
    return this.#legacy.serve(method, params, inbound);
  }

  /** Whether a request outside a session must be one of 2026-07-28. Other such requests are typed by hand or skip `initialize`. */
  #isModern(method: string): boolean {
    if (!isIn(method, NEWEST_LEGACY)) return true;
    return this.#modern.client !== undefined && method !== 'initialize' && method !== 'ping';
  }

  #notified(method: string, params: Params | undefined): void {
    if (method === 'notifications/initialized') return this.#legacy.beginNotifications();
    const client = this.#legacy.session ?? this.#modern.client;
    if (!client || methodsOfMcp.get(method)?.isOfRequest) return;
    const space = this.#service.notify(method, params, client);
    if (space) this.peer.channel.holdInput?.(space);
  }

  #notify(
    method: string,
    params: Params | undefined,
    relatedRequestId: RequestId | undefined,
  ): Promise<void> | undefined {
    const client = this.#legacy.session ?? this.#modern.client;
    const inOrder = client?.info?.name === ownInfo.name; // the client is a host, or another Standpipe client
    // The notifier decides what may be sent.
    const sent = this.peer.notify(method, params, { neverRefuse: true, relatedRequestId, inOrder });
    if (sent === SENT) return undefined;
    sent.catch((error: Error) => this.peer.onerror?.(error));
    return sent;
  }
}

function exposingErrors(serve: RequestHandler): RequestHandler {
  const fail = (error: unknown) => {
    throw toRpcError(error);
  };
  return (params, inbound) => {
    try {
      const result = serve(params, inbound);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
}
