// The watchers of one server of the fleet: one subscription for all of them, at every instance.

import type { ClientOptions } from '../../../mcp/client/options.ts';
import { Listening } from '../../../mcp/client/session/listening.ts';
import { SUBSCRIPTION_ID } from '../../../mcp/meta.ts';
import type { Watcher } from '../../../mcp/service.ts';
import { isListening, Watchers } from '../../../mcp/watchers.ts';
import { LOGS, type NodeFilter } from '../call-protocol.ts';
import { LISTEN } from './call.ts';
import { ListenEverywhere } from './listen-everywhere.ts';
import { OwnSubscription } from './own-subscription.ts';
import type { ServerRequests } from './server-requests.ts';

const DEFAULT_ACKNOWLEDGE_MS = 60_000;

export class FleetWatches {
  readonly #requests: ServerRequests;
  #isClosed = false;
  readonly #watchers: Watchers;
  readonly #listening: Listening;
  readonly #own = new Set<OwnSubscription>();
  /** Open subscriptions by the id of the request. */
  readonly #open = new Map<number, ListenEverywhere>();

  constructor(requests: ServerRequests, options: ClientOptions) {
    this.#requests = requests;
    this.#watchers = new Watchers((error) => requests.service.onerror?.(error));
    this.#listening = new Listening({
      clock: requests.calls.clock,
      timeoutMs: options.requestTimeoutMs ?? DEFAULT_ACKNOWLEDGE_MS,
      open: (notifications, signal) =>
        requests.open(LISTEN, { notifications }, { timeoutMs: Number.POSITIVE_INFINITY, signal }),
      watchers: this.#watchers,
      wanted: () => {
        const { filter, logs } = this.#watchers;
        return logs ? ({ ...filter, [LOGS]: logs } as NodeFilter) : filter;
      },
      listens: (filter) => isListening(filter) || filter.logs !== undefined,
      ended: () => this.#isClosed || this.#watchers.endListening(),
      cut: (error) => requests.service.onerror?.(error),
      missed: (filter) => this.#watchers.notifyAll(filter),
      warn: () => undefined,
    });
  }

  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    if (watcher.filter.further === undefined) return this.#listening.watch(watcher);
    let stop: (() => Promise<void>) | undefined;
    const own = new OwnSubscription(this.#requests, watcher, () => {
      this.#own.delete(own);
      void stop?.();
      if (stop) watcher.ended?.();
    });
    this.#own.add(own);
    const end = () => {
      this.#own.delete(own);
      own.stop();
    };
    try {
      await own.open();
      stop = await this.#listening.watch(watcher);
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      end();
      await stop?.();
    };
  }

  instancesChanged(): void {
    for (const listen of this.#open.values()) listen.update();
  }

  /** Begins the request with this id. Streams that end are opened again; `refused` is called if the server refuses the subscription. */
  begin(id: number, wanted: NodeFilter, refused: (error: unknown) => void): void {
    // A stream that this one replaces sends the same notifications until this one is acknowledged.
    const ifCurrent = (act: () => void) => this.#listening.isCurrent(id) && act();
    const listen = new ListenEverywhere(this.#requests, id, wanted, {
      acknowledged: (filter) =>
        this.#listening.acknowledged({ _meta: { [SUBSCRIPTION_ID]: id }, notifications: filter }),
      notified: (method, params) => ifCurrent(() => this.#watchers.notify(method, params)),
      missed: (filter) => ifCurrent(() => this.#watchers.notifyAll(filter)),
      refused: (error) => {
        this.#open.delete(id);
        refused(error);
      },
    });
    this.#open.set(id, listen);
    listen.update();
  }

  end(id: number): void {
    this.#open.get(id)?.cancel();
    this.#open.delete(id);
  }

  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#open.keys()]) this.end(id);
    for (const own of this.#own) own.stop();
    this.#watchers.endAll();
    this.#listening.close();
  }
}
