// 2026-07-28: changes are sent only to `subscriptions/listen` requests, each of which names the notifications it wants.
// Such a request stays pending until its client cancels it or the service ends; every notification carries the id of
// its request. A client that does not read gets the URI in its request, whatever part of the resource was updated.

import { isObject, metaOf } from '../../base/json-object.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import { OWN_PREFIX, SUBSCRIPTION_ID } from '../meta.ts';
import { methodsOfMcp } from '../methods.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { ClientFacts, Params, Result, Service } from '../service.ts';
import type { Meta, RequestId, ServerCapabilities, SubscriptionFilter } from '../types.ts';
import { UriMap } from '../uri-map.ts';
import { announcedLists, changeMethods, LOG_METHOD, listChangedMethods, UPDATED_METHOD } from '../watchers.ts';
import type { Notifier, Subject } from './notifier.ts';

const MOST_SUBSCRIPTIONS = 1024;
const MOST_URIS = 10_000;
const MOST_MEMBERS = 64;
/** The limit for all pending requests together, including the memory for their URIs. */
const MOST_BYTES = 16 * 1024 * 1024;
/** The memory that a subscription takes for each URI besides the request, because it is indexed by URI. */
const BYTES_PER_URI = 512;

const filterNames: ReadonlySet<string> = new Set(changeMethods.map((method) => methodsOfMcp.get(method)!.filter!));

interface Subscription {
  inbound: InboundCall;
  bytes: number;
  /** The notifications that are sent. */
  filter: SubscriptionFilter;
  /** Created on first use: most clients read. */
  subjects?: ListenSubjects;
  isAcknowledged: boolean;
  isOver: boolean;
  stop?: () => void;
  end(result: Result): void;
}

export class ModernSubscriptions {
  readonly #open = new Set<Subscription>();
  readonly #service: Service;
  readonly #notifier: Notifier;
  #heldBytes = 0;

  constructor(service: Service, notifier: Notifier) {
    this.#service = service;
    this.#notifier = notifier;
  }

  /** Resolves when this side ends the subscription. A cancellation by the client is never answered. */
  listen(params: Params, inbound: InboundCall, client: ClientFacts): Promise<Result> {
    const wanted = readFilter(params.notifications);
    if (this.#open.size >= MOST_SUBSCRIPTIONS) {
      throw invalidParams(`Too many subscriptions: ${MOST_SUBSCRIPTIONS} are active; cancel one first`);
    }
    const bytes = inbound.bytes + bytesOfUris(params);
    if (this.#heldBytes + bytes > MOST_BYTES) {
      const message = `active ones have ${this.#heldBytes} bytes, this one has ${bytes}, and the limit is ${MOST_BYTES}`;
      throw invalidParams(`Subscriptions too long: ${message}; cancel one first`);
    }
    this.#heldBytes += bytes;
    return new Promise((end, refuse) => {
      const subscription: Subscription = { inbound, bytes, filter: {}, isAcknowledged: false, isOver: false, end };
      this.#open.add(subscription);
      inbound.addEventListener('abort', () => this.#forget(subscription));
      this.#begin(subscription, wanted, client).catch((error: unknown) => {
        this.#forget(subscription);
        refuse(error);
      });
    });
  }

  async #begin(subscription: Subscription, wanted: SubscriptionFilter, client: ClientFacts): Promise<void> {
    const further = furtherOf(wanted);
    subscription.filter = offered(wanted, (await this.#service.describe()).capabilities);
    subscription.stop = await this.#service.watch({
      filter: further ? { ...subscription.filter, further } : subscription.filter,
      client,
      accepted: (members) => {
        const agreed = Object.keys(further ?? {}).filter((name) => name in members);
        const added = Object.fromEntries(agreed.map((name) => [name, members[name]]));
        subscription.filter = { ...subscription.filter, ...added };
      },
      notified: (method, params) => this.#notified(subscription, method, params),
      ended: () => void this.#end(subscription),
    });
    if (subscription.isOver) subscription.stop();
    else this.#acknowledge(subscription);
  }

  /** Sends the acknowledgement once, before any other message of the subscription. */
  #acknowledge(subscription: Subscription): void {
    if (subscription.isAcknowledged) return;
    subscription.isAcknowledged = true;
    this.#notifier.reply('notifications/subscriptions/acknowledged', {
      _meta: { [SUBSCRIPTION_ID]: subscription.inbound.id },
      notifications: subscription.filter,
    });
  }

  #notified(subscription: Subscription, method: string, params: Params | undefined): void {
    if (subscription.isOver) return;
    if (method === LOG_METHOD) {
      // The service sends log messages unrequested. Before the acknowledgement, they belong to the stream that this one replaces.
      if (subscription.isAcknowledged) this.#notifier.log(params ?? {}, subscription.inbound);
      return;
    }
    this.#acknowledge(subscription);
    const _meta = { ...metaOf(params), [SUBSCRIPTION_ID]: subscription.inbound.id };
    this.#notifier.changed(method, { ...params, _meta }, () => {
      subscription.subjects ??= new ListenSubjects(subscription.inbound.id, subscription.filter);
      return subscription.isOver ? undefined : subscription.subjects.find(method, params);
    });
  }

  /**
   * Answers the request of each subscription, because the server ends. Resolves when all answers were passed to the
   * transport.
   */
  async endAll(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => this.#end(subscription)));
  }

  #end(subscription: Subscription): Promise<void> {
    this.#forget(subscription);
    subscription.end({ _meta: { [SUBSCRIPTION_ID]: subscription.inbound.id } });
    return subscription.inbound.whenSettled;
  }

  #forget(subscription: Subscription): void {
    if (!this.#open.delete(subscription)) return;
    this.#heldBytes -= subscription.bytes;
    subscription.isOver = true;
    for (const subject of subscription.subjects ?? []) this.#notifier.ended(subject);
    subscription.stop?.();
  }
}

/** The memory that a listen request takes besides the message itself. */
export function bytesOfUris({ notifications }: Params): number {
  const uris = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.length * BYTES_PER_URI : 0;
}

/** Leaves out notifications that the server does not announce. */
export function offered(wanted: SubscriptionFilter, has: ServerCapabilities): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = wanted;
  const announced = announcedLists(has);
  return {
    ...(toolsListChanged && announced.toolsListChanged && { toolsListChanged }),
    ...(promptsListChanged && announced.promptsListChanged && { promptsListChanged }),
    ...(resourcesListChanged && announced.resourcesListChanged && { resourcesListChanged }),
    ...(resourceSubscriptions.length > 0 && has.resources && { resourceSubscriptions }),
  };
}

/** The members that MCP does not define and that are not reserved for messages between our own programs; undefined if there are none. */
function furtherOf(wanted: SubscriptionFilter): Record<string, unknown> | undefined {
  const further = Object.entries(wanted).filter(([name]) => !filterNames.has(name) && !name.startsWith(OWN_PREFIX));
  return further.length > 0 ? Object.fromEntries(further) : undefined;
}

function readFilter(filter: unknown): SubscriptionFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw invalidParams('subscriptions/listen needs "notifications": an object with the notifications to listen for');
  }
  const { resourceSubscriptions: uris = [] } = filter as SubscriptionFilter;
  if (!Array.isArray(uris) || uris.length > MOST_URIS || uris.some((uri) => typeof uri !== 'string')) {
    throw invalidParams(`"resourceSubscriptions" must be a list of at most ${MOST_URIS} URIs`);
  }
  if (Object.keys(filter).length > MOST_MEMBERS) {
    throw invalidParams(`"notifications" must have at most ${MOST_MEMBERS} members`);
  }
  return filter;
}

/** The subjects that one `subscriptions/listen` covers. Created only when its client does not read. */
class ListenSubjects {
  readonly #lists: ReadonlyMap<string, Subject>;
  readonly #resources = new UriMap<Subject>();

  constructor(request: RequestId, { resourceSubscriptions = [] }: SubscriptionFilter) {
    const _meta: Meta = { [SUBSCRIPTION_ID]: request };
    this.#lists = new Map(listChangedMethods.map((method) => [method, { method, params: { _meta } }]));
    for (const uri of resourceSubscriptions) {
      this.#resources.set(uri, { method: UPDATED_METHOD, params: { uri, _meta } });
    }
  }

  *[Symbol.iterator](): Iterator<Subject> {
    yield* this.#lists.values();
    yield* this.#resources.values();
  }

  /** Returns the subject; for a part of several resources, the one with the longest URI. */
  find(method: string, params: Params | undefined): Subject | undefined {
    if (method !== UPDATED_METHOD) return this.#lists.get(method);
    let longest: [uri: string, Subject] | undefined;
    for (const found of this.#resources.containing(String(params?.uri))) {
      if (!longest || found[0].length > longest[0].length) longest = found;
    }
    return longest?.[1];
  }
}
