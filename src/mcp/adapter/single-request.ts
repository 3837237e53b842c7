// One request of 2026-07-28 with its own reply, as in HTTP. It is served like a request of a connection, but needs
// neither a peer nor a queue, because nothing else uses the connection. Closing the reply cancels the request.

import { toRpcError } from '../../base/error-json.ts';
import { PeerError, type UsageError } from '../../base/errors.ts';
import { errorAnswer, InboundCall, unanswered } from '../../wire/jsonrpc/inbound.ts';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../wire/jsonrpc/message.ts';
import { OwnResult } from '../../wire/jsonrpc/message-text.ts';
import type { ClientFacts, Result } from '../service.ts';
import type { ClientAdapters } from './client-adapters.ts';
import type { ClientObserver } from './client-observer.ts';
import { ModernConnection } from './modern-era.ts';
import { Notifier } from './notifier.ts';

/** Messages are sent as text. */
export interface SingleReply {
  /**
   * Sends a notification before the answer. Returns false if it was not sent because too much is queued; `onfull` was
   * called before.
   */
  notify(message: JsonRpcNotification): boolean;
  /** Sends the last message. Returns an error if it cannot be written. */
  answer(message: JsonRpcResponse): UsageError | undefined;
  /** Call this after the last message. */
  end(): void;
  /** Called with true when too much is queued for the client, and with false when it has read everything. */
  onfull: ((isFull: boolean) => void) | undefined;
  /** Called once, when everything was sent or the client has disconnected. */
  onclose: (() => void) | undefined;
  /** Whether the client has other requests, so that the end of this one is not the end of the client for the service. */
  readonly clientStays?: boolean | undefined;
}

export class SingleRequest {
  /** Called once, when the request was answered or cancelled. */
  onover: (() => void) | undefined;
  readonly #adapters: ClientAdapters;
  readonly #call: InboundCall;
  readonly #client: ClientFacts;
  readonly #reply: SingleReply;
  readonly #connection: ModernConnection;

  constructor(
    adapters: ClientAdapters,
    request: JsonRpcRequest,
    bytes: number,
    client: ClientFacts,
    reply: SingleReply,
    observer: ClientObserver | undefined,
  ) {
    this.#adapters = adapters;
    this.#call = new InboundCall(request, bytes);
    this.#client = client;
    this.#reply = reply;
    const notifier = new Notifier((method, params) =>
      reply.notify({ jsonrpc: '2.0', method, params }) ? undefined : Promise.reject(notSent()),
    );
    this.#connection = new ModernConnection(client.identity, notifier, true, observer);
    reply.onfull = (isFull) => notifier.setFull(isFull);
    reply.onclose = () => this.#closed();
  }

  run(): void {
    const { method, params = {} } = this.#call.request;
    try {
      const result = this.#adapters.modern.serve(method, params, this.#call, this.#client, this.#connection);
      if (result instanceof Promise) result.then(this.#answer, this.#fail);
      else this.#answer(result);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Call this when the server ends. */
  async close(): Promise<void> {
    await this.#connection.endSubscriptions();
    if (!this.#call.settled) this.#reply.answer(this.#failure(unanswered()));
    this.#reply.end();
  }

  readonly #answer = (result: Result): void => {
    this.#send(new OwnResult(this.#call.id, result ?? {}));
  };

  readonly #fail = (error: unknown): void => {
    this.#send(this.#failure(error));
  };

  #failure(error: unknown): JsonRpcResponse {
    return errorAnswer(this.#call.id, this.#adapters.exposeErrors ? toRpcError(error) : error);
  }

  #send(answer: JsonRpcResponse): void {
    const call = this.#call;
    call.settled = true;
    if (call.cancelled) return;
    const unwritable = this.#reply.answer(answer);
    if (unwritable) this.#reply.answer(errorAnswer(call.id, unwritable));
    call.ended();
    this.onover?.();
  }

  #closed(): void {
    const call = this.#call;
    if (!call.settled && !call.cancelled) {
      call.cancel(new PeerError('CONNECTION_CLOSED', 'The connection closed'));
      this.onover?.();
    }
    this.#adapters.suspended.connectionClosed(this.#connection.notifier);
    if (!this.#reply.clientStays) this.#adapters.service.gone?.(this.#client.identity);
    this.#connection.observer?.closed();
  }
}

function notSent(): PeerError {
  return new PeerError('NOT_SENT', 'The notification was not sent: too much data is queued for the client');
}
