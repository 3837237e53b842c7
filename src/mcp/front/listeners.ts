// 2026-07-28: changes are sent only to `subscriptions/listen` requests, each of which says what it wants to hear of. Such
// a request stays open until its client cancels it or the service ends; every notification carries the id of its request.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { SUBSCRIPTION_ID } from '../meta.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { Params, Result, Service } from '../service.ts';
import type { Meta, RequestId, ServerCapabilities, SubscriptionFilter } from '../types.ts';
import type { Notifier } from './notifier.ts';

const MOST_LISTENERS = 1024;
const MOST_URIS = 10_000;
/** Of the requests that stay open, all together. */
const MOST_BYTES = 16 * 1024 * 1024;

class Listener {
  readonly inbound: InboundCall;
  readonly id: RequestId;
  readonly bytes: number;
  readonly ended: Promise<Result>;
  end!: (result: Result) => void;
  stop: (() => void) | undefined;
  isOver = false;
  isAcknowledged = false;
  /** What is listened for. */
  filter: SubscriptionFilter = {};

  constructor(inbound: InboundCall) {
    this.inbound = inbound;
    this.id = inbound.id;
    this.bytes = inbound.bytes;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }
}

export class Listeners {
  readonly #open = new Set<Listener>();
  readonly #service: Service;
  readonly #notifier: Notifier;
  #heldBytes = 0;

  constructor(service: Service, notifier: Notifier) {
    this.#service = service;
    this.#notifier = notifier;
  }

  /** Resolves when the listening ends from our side; a cancel by the client is never answered. */
  listen(params: Params, inbound: InboundCall): Promise<Result> {
    const wanted = readFilter(params.notifications);
    if (this.#open.size >= MOST_LISTENERS) {
      throw invalidParams(`Too many subscriptions: ${MOST_LISTENERS} are open; cancel one first`);
    }
    const listener = new Listener(inbound);
    if (this.#heldBytes + listener.bytes > MOST_BYTES) {
      const message = `those that are open have ${this.#heldBytes} bytes, this one ${listener.bytes}, and ${MOST_BYTES} may be held`;
      throw invalidParams(`Subscriptions too long: ${message}; cancel one first`);
    }
    this.#open.add(listener);
    this.#heldBytes += listener.bytes;
    inbound.signal.addEventListener('abort', () => this.#forget(listener), { once: true });
    return this.#begin(listener, wanted);
  }

  async #begin(listener: Listener, wanted: SubscriptionFilter): Promise<Result> {
    try {
      listener.filter = offered(wanted, (await this.#service.describe()).capabilities);
      const stop = await this.#service.watch({
        filter: listener.filter,
        notified: (method, params) => this.#notified(listener, method, params),
        ended: () => this.#end(listener),
      });
      listener.stop = stop;
      if (listener.isOver) stop();
      else this.#acknowledge(listener);
    } catch (error) {
      this.#forget(listener);
      throw error;
    }
    return listener.ended;
  }

  /** Once, and before any other message of the subscription. */
  #acknowledge(listener: Listener): void {
    if (listener.isAcknowledged) return;
    listener.isAcknowledged = true;
    this.#notifier.reply('notifications/subscriptions/acknowledged', {
      _meta: { [SUBSCRIPTION_ID]: listener.id },
      notifications: listener.filter,
    });
  }

  #notified(listener: Listener, method: string, params: Params | undefined): void {
    if (listener.isOver) return;
    this.#acknowledge(listener);
    const _meta = { ...(params?._meta as Meta | undefined), [SUBSCRIPTION_ID]: listener.id };
    this.#notifier.changed(method, { ...params, _meta });
  }

  /** The server ends: each listener gets the answer to its request. Resolves when all were handed to the transport. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#open].map((listener) => this.#end(listener)));
  }

  #end(listener: Listener): Promise<void> {
    this.#forget(listener);
    listener.end({ _meta: { [SUBSCRIPTION_ID]: listener.id } });
    return listener.inbound.whenSettled;
  }

  #forget(listener: Listener): void {
    if (!this.#open.delete(listener)) return;
    this.#heldBytes -= listener.bytes;
    listener.isOver = true;
    listener.stop?.();
  }
}

/** Wishes for what the server does not have are left out of the acknowledgement. */
function offered(wanted: SubscriptionFilter, has: ServerCapabilities): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = wanted;
  return {
    ...(toolsListChanged && has.tools && { toolsListChanged }),
    ...(promptsListChanged && has.prompts && { promptsListChanged }),
    ...(resourcesListChanged && has.resources && { resourcesListChanged }),
    ...(resourceSubscriptions.length > 0 && has.resources && { resourceSubscriptions }),
  };
}

function readFilter(filter: unknown): SubscriptionFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw invalidParams('subscriptions/listen needs "notifications": an object that says what to listen for');
  }
  const { resourceSubscriptions: uris = [] } = filter as SubscriptionFilter;
  if (!Array.isArray(uris) || uris.length > MOST_URIS || uris.some((uri) => typeof uri !== 'string')) {
    throw invalidParams(`"resourceSubscriptions" must be a list of at most ${MOST_URIS} URIs`);
  }
  return filter;
}
