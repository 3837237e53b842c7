// 2026-07-28: changes are told only to `subscriptions/listen` requests, each of which says what it wants to hear of. Such
// a request stays open until its client cancels it or the server ends; every notification carries the id of its request.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { SUBSCRIPTION_ID } from '../meta.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { RequestId, SubscriptionFilter } from '../types.ts';
import type { Params } from './methods.ts';
import type { Notifier } from './notifier.ts';
import type { Family } from './registry.ts';

const MOST_LISTENERS = 1024;
const MOST_URIS = 10_000;
/** Of the requests that stay open, all together. */
const MOST_BYTES = 16 * 1024 * 1024;

const wishes = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const satisfies Record<Family, keyof SubscriptionFilter>;

interface Listener {
  inbound: InboundCall;
  id: RequestId;
  families: Set<Family>;
  uris: Set<string>;
  bytes: number;
  end: (result: Record<string, unknown>) => void;
}

export class Listeners {
  readonly #byId = new Map<RequestId, Listener>();
  #heldBytes = 0;
  readonly #notifier: Notifier;
  readonly #offered: (family: Family) => boolean;

  /** `offered`: which families this server has at all; wishes for others are left out of the acknowledgement. */
  constructor(notifier: Notifier, offered: (family: Family) => boolean) {
    this.#notifier = notifier;
    this.#offered = offered;
  }

  /** Resolves when the listening ends from our side; a cancel by the client is never answered. */
  listen(params: Params, inbound: InboundCall): Promise<Record<string, unknown>> {
    const filter = readFilter(params.notifications);
    if (this.#byId.size >= MOST_LISTENERS) {
      throw invalidParams(`Too many subscriptions: ${MOST_LISTENERS} are open; cancel one first`);
    }
    const { id, bytes } = inbound;
    if (this.#heldBytes + bytes > MOST_BYTES) {
      const message = `those that are open have ${this.#heldBytes} bytes, this one ${bytes}, and ${MOST_BYTES} may be held`;
      throw invalidParams(`Subscriptions too long: ${message}; cancel one first`);
    }
    const families = (Object.keys(wishes) as Family[]).filter(
      (family) => filter[wishes[family]] && this.#offered(family),
    );
    const uris = this.#offered('resources') ? (filter.resourceSubscriptions ?? []) : [];
    const honored: SubscriptionFilter = Object.fromEntries(families.map((family) => [wishes[family], true]));
    if (uris.length > 0) honored.resourceSubscriptions = uris;
    // The acknowledgement must be the first message of the subscription.
    this.#notifier.reply('notifications/subscriptions/acknowledged', {
      _meta: { [SUBSCRIPTION_ID]: id },
      notifications: honored,
    });
    return new Promise((end) => {
      const listener = { inbound, id, families: new Set(families), uris: new Set(uris), bytes, end };
      this.#byId.set(id, listener);
      this.#heldBytes += bytes;
      inbound.signal.addEventListener('abort', () => this.#forget(listener), { once: true });
    });
  }

  listChanged(family: Family): void {
    for (const { id, families } of this.#byId.values()) {
      if (families.has(family))
        this.#notifier.changed(`notifications/${family}/list_changed`, { _meta: { [SUBSCRIPTION_ID]: id } });
    }
  }

  resourceUpdated(uri: string): void {
    for (const { id, uris } of this.#byId.values()) {
      if (uris.has(uri)) {
        this.#notifier.changed('notifications/resources/updated', { _meta: { [SUBSCRIPTION_ID]: id }, uri });
      }
    }
  }

  /** The server ends: each listener gets the answer to its request. Resolves when all were handed to the transport. */
  async endAll(): Promise<void> {
    const answered = [...this.#byId.values()].map((listener) => {
      this.#forget(listener);
      listener.end({ _meta: { [SUBSCRIPTION_ID]: listener.id } });
      return listener.inbound.whenSettled;
    });
    await Promise.all(answered);
  }

  #forget(listener: Listener): void {
    if (this.#byId.get(listener.id) !== listener) return;
    this.#byId.delete(listener.id);
    this.#heldBytes -= listener.bytes;
  }
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
