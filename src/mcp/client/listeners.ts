// The listeners of a client, on top of its service's `watch`. A list is watched while it has listeners. If the server
// ends the subscription, the listeners are kept, and are watched for again with the next subscription.

import { toError } from '../../base/errors.ts';
import type { NotificationHandler } from '../../wire/jsonrpc/notification-listeners.ts';
import type { ListKind } from '../methods.ts';
import type { Params, Service, Watcher, WatchFilter } from '../service.ts';
import type { LogMessage } from '../types.ts';
import { listKinds } from '../watchers.ts';
import type { ListenerOptions, ResourceUpdate, SubscriptionEnd } from './options.ts';
import type { Warn } from './warnings.ts';

interface Listener extends ListenerOptions {
  handler: () => void;
}

interface Listened {
  listeners: Set<Listener>;
  /** Resolves with the function that stops the watch. */
  watch: Promise<() => void> | undefined;
}

export interface ListenersOptions {
  invalidate: (kind: ListKind) => void;
  /** The reason to report if a watch ends now. */
  endOf: () => SubscriptionEnd;
  onError: (error: Error) => void;
  warn: Warn;
}

export class Listeners {
  readonly #service: Service;
  readonly #options: ListenersOptions;
  readonly #lists: Record<ListKind, Listened> = { tools: unwatched(), resources: unwatched(), prompts: unwatched() };
  readonly #logHandlers = new Set<(message: LogMessage) => void>();
  #watchesLogs = false;
  #otherHandler: NotificationHandler | undefined;

  constructor(service: Service, options: ListenersOptions) {
    this.#service = service;
    this.#options = options;
  }

  async subscribe(
    uri: string,
    handler: (update: ResourceUpdate) => void,
    { onClosed }: ListenerOptions = {},
  ): Promise<() => Promise<void>> {
    this.#watchLists();
    const stop = await this.#service.watch({
      filter: { resourceSubscriptions: [uri] },
      notified: (_method, params) => this.#guard(() => handler(params as ResourceUpdate)),
      ended: () => this.#guard(() => onClosed?.(this.#options.endOf())),
    });
    return async () => stop();
  }

  onListChanged(kind: ListKind, handler: () => void, options: ListenerOptions = {}): () => void {
    const list = this.#lists[kind];
    const listener = { handler, ...options };
    list.listeners.add(listener);
    this.#watchLists();
    return () => {
      if (list.listeners.delete(listener) && list.listeners.size === 0) this.#unwatchList(list);
    };
  }

  onLog(handler: (message: LogMessage) => void): () => void {
    if (!this.#watchesLogs) this.#watch({ logs: 'debug' }, (_method, params) => this.logged(params));
    this.#watchesLogs = true;
    this.#logHandlers.add(handler);
    return () => this.#logHandlers.delete(handler);
  }

  onNotification(handler: NotificationHandler): void {
    if (!this.#otherHandler) this.#watch({ others: true }, (method, params) => this.#otherHandler?.(params, method));
    this.#otherHandler = handler;
  }

  /** Delivers a log message, whether it belongs to a call or not. */
  logged(params: Params | undefined): void {
    for (const handler of [...this.#logHandlers]) this.#guard(() => handler(params as unknown as LogMessage));
  }

  #watch(filter: WatchFilter, notified: Watcher['notified']): void {
    this.#service.watch({ filter, notified }).catch((error: unknown) => this.#options.onError(toError(error)));
  }

  #watchLists(): void {
    for (const kind of listKinds) {
      const list = this.#lists[kind];
      if (list.listeners.size > 0) list.watch ??= this.#watchList(kind, list);
    }
  }

  #watchList(kind: ListKind, list: Listened): Promise<() => void> {
    const watch = this.#service.watch({
      filter: { [`${kind}ListChanged`]: true },
      notified: () => {
        this.#options.invalidate(kind);
        for (const { handler } of [...list.listeners]) this.#guard(handler);
      },
      ended: () => {
        list.watch = undefined;
        const why = this.#options.endOf();
        for (const { onClosed } of [...list.listeners]) this.#guard(() => onClosed?.(why));
      },
    });
    watch.catch((error: unknown) => {
      if (list.watch === watch) list.watch = undefined;
      this.#options.warn(
        'listen-failed',
        `The server sends no notifications about changed lists: ${toError(error).message}`,
      );
    });
    return watch;
  }

  #unwatchList(list: Listened): void {
    void list.watch?.then(
      (stop) => stop(),
      () => undefined, // the error was already reported
    );
    list.watch = undefined;
  }

  /** An error of a listener is reported and does not affect the others. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#options.onError(toError(error));
    }
  }
}

function unwatched(): Listened {
  return { listeners: new Set(), watch: undefined };
}
