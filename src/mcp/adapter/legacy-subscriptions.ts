// The notifications of a legacy client. Changed lists, log messages and notifications that MCP does not define are sent
// without a request; resource updates are sent for each subscribed URI. Subscriptions are limited in number and in
// length. A client that does not read gets the URI that it subscribed to, whatever part of the resource was updated.

import { toError } from '../../base/errors.ts';
import type { Peer } from '../../wire/jsonrpc/peer.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { ClientFacts, Service, WatchFilter } from '../service.ts';
import type { LogLevel } from '../types.ts';
import { UriMap } from '../uri-map.ts';
import { LOG_METHOD, listChangedMethods, UPDATED_METHOD } from '../watchers.ts';
import type { Notifier, Subject } from './notifier.ts';

const MOST_URIS = 10_000;
const MOST_CHARS = 16 * 1024 * 1024;
/** The memory that a subscription takes besides its URI: each has a separate watch at the service. */
const BYTES_PER_WATCH = 3 * 1024;

type Watch = Promise<() => void>;

const lists = new Map<string, Subject>(listChangedMethods.map((method) => [method, { method, params: undefined }]));

export class LegacySubscriptions {
  readonly #service: Service;
  readonly #notifier: Notifier;
  readonly #peer: Peer;
  readonly #uris = new UriMap<{ watch: Watch; subject: Subject }>();
  /** The URI of the last update, and the longest subscribed URI that contains it. */
  #closest: { updated: string; uri: string | undefined } | undefined;
  #chars = 0;
  #lists: Watch | undefined;
  #logs: Watch | undefined;

  constructor(service: Service, notifier: Notifier, peer: Peer) {
    this.#service = service;
    this.#notifier = notifier;
    this.#peer = peer;
  }

  /**
   * Begins to watch the notifications that every session gets, or changes to the log level that the client has chosen.
   * `announced` holds the lists whose changes were announced to the client.
   */
  open(client: ClientFacts & { logLevel: LogLevel }, announced: WatchFilter, choosesLogs = false): void {
    this.#lists ??= this.#watchOrReport({ ...announced, others: true }, client);
    const before = this.#logs;
    this.#logs = this.#watchOrReport({ logs: client.logLevel, choosesLogs }, client);
    if (before) stop(before); // the previous watch is stopped afterwards, so that the server is not set to another level in between
  }

  async subscribe(uri: string, client: ClientFacts): Promise<void> {
    const before = this.#uris.get(uri);
    if (before) return void (await before.watch);
    if (this.#uris.size >= MOST_URIS) {
      throw invalidParams(`Too many subscriptions: ${MOST_URIS} are active; unsubscribe from one first`);
    }
    if (this.#chars + uri.length > MOST_CHARS) {
      const message = `the URIs of active ones have ${this.#chars} characters, and this one has ${uri.length}`;
      throw invalidParams(`Subscriptions too long: ${message}; the limit is ${MOST_CHARS}. Unsubscribe from one first`);
    }
    const refusal = this.#peer.channel.hold?.(uri.length + BYTES_PER_WATCH);
    if (refusal) throw refusal;
    const subject = { method: UPDATED_METHOD, params: { uri } };
    const forget = () => this.#uris.get(uri)?.subject === subject && this.#forget(uri);
    const watch = this.#watch({ resourceSubscriptions: [uri] }, client, forget, subject);
    this.#uris.set(uri, { watch, subject });
    this.#closest = undefined;
    this.#chars += uri.length;
    watch.catch(forget);
    await watch;
  }

  async unsubscribe(uri: string): Promise<void> {
    const open = this.#uris.get(uri);
    if (!open) return;
    this.#forget(uri);
    (await open.watch)();
  }

  /** Stops all notifications until the next `open`. */
  pause(): void {
    if (this.#lists) stop(this.#lists);
    if (this.#logs) stop(this.#logs);
    this.#lists = this.#logs = undefined;
  }

  close(): void {
    for (const { watch } of this.#uris.values()) stop(watch);
    this.#uris.clear();
    this.pause();
  }

  #forget(uri: string): void {
    this.#notifier.ended(this.#uris.get(uri)!.subject);
    this.#uris.delete(uri);
    this.#closest = undefined;
    this.#chars -= uri.length;
    this.#peer.channel.hold?.(-uri.length - BYTES_PER_WATCH);
  }

  /** Errors are reported, because no request waits for the watch. */
  #watchOrReport(filter: WatchFilter, client: ClientFacts): Watch {
    const watch = this.#watch(filter, client);
    watch.catch((error: unknown) => this.#peer.onerror?.(toError(error)));
    return watch;
  }

  /** `resource` is the watched resource; undefined for lists, log messages and others. */
  async #watch(
    filter: WatchFilter,
    client: ClientFacts,
    ended?: () => void,
    resource?: Subject & { params: { uri: string } },
  ): Watch {
    return this.#service.watch({
      filter,
      client,
      ended,
      notified: (method, params) => {
        if (method === LOG_METHOD) this.#notifier.log(params ?? {});
        else if (!resource) this.#notifier.changed(method, params, () => lists.get(method));
        else if (this.#isClosest(resource.params.uri, params?.uri))
          this.#notifier.changed(method, params, () => resource);
      },
    });
  }

  /** An update of a part that belongs to several subscribed resources is sent once, for the longest of them. */
  #isClosest(subscribed: string, updated: unknown): boolean {
    if (updated === subscribed || typeof updated !== 'string') return true;
    if (this.#closest?.updated !== updated) {
      let longest: string | undefined;
      for (const [uri] of this.#uris.containing(updated)) if (uri.length >= (longest?.length ?? 0)) longest = uri;
      this.#closest = { updated, uri: longest };
    }
    return (this.#closest.uri?.length ?? 0) <= subscribed.length;
  }
}

function stop(watch: Watch): void {
  watch.then(
    (end) => end(),
    () => undefined, // the watch never began
  );
}
