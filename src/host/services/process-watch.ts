// A subscription of one watcher to a server, renewed on each new process.

import { PeerError } from '../../base/errors.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { Watcher, WatchFilter } from '../../mcp/service.ts';
import { listKinds } from '../../mcp/watchers.ts';
import { notifyOfLists, notifyWatcher } from './watches.ts';

export class ProcessWatch {
  /** True once the watcher knows that notifications will be delivered. */
  began = false;
  readonly #watcher: Watcher;
  readonly #ended: (client: Client) => void;
  #client: Client | undefined;
  #following: Promise<void> = Promise.resolve();
  #stop: (() => unknown) | undefined;
  #stopped = false;

  constructor(watcher: Watcher, ended: (client: Client) => void) {
    this.#watcher = watcher;
    this.#ended = ended;
  }

  /** Resolves when notifications of this process will be delivered. */
  follow(client: Client): Promise<void> {
    if (this.#client === client) return this.#following;
    this.#client = client;
    this.#following = this.#watch(client);
    return this.#following;
  }

  /** Notifies of everything: something may have changed since the previous process. */
  notifyAll(): void {
    if (this.#stopped || !this.began) return;
    notifyOfLists(this.#watcher);
    for (const uri of this.#watcher.filter.resourceSubscriptions ?? []) {
      notifyWatcher(this.#watcher, 'notifications/resources/updated', { uri });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#stop?.();
  }

  end(): void {
    if (this.#stopped) return;
    this.stop();
    this.#watcher.ended?.();
  }

  async #watch(client: Client): Promise<void> {
    let isOver = false;
    this.#stop = await client.service.watch({
      filter: offered(this.#watcher.filter, client.server),
      client: this.#watcher.client,
      accepted: (further) => this.#watcher.accepted?.(further),
      notified: (method, params) => this.#watcher.notified(method, params),
      ended: () => {
        isOver = true;
        queueMicrotask(() => this.#ended(client)); // by then the loss of the process is known
      },
    });
    if (isOver) throw new PeerError('OUTCOME_UNKNOWN', 'The server ended while it was asked for notifications');
    if (this.#stopped) this.#stop();
  }
}

/** A modern server is asked to announce changes, so the request contains only the changes that it can announce. */
function offered(filter: WatchFilter, { era, capabilities }: Client['server']): WatchFilter {
  if (era === 'legacy') return filter;
  const lists = listKinds.map((kind) => {
    const key = `${kind}ListChanged` as const;
    return [key, filter[key] && capabilities[kind]?.listChanged === true];
  });
  return { ...filter, ...Object.fromEntries(lists) };
}
