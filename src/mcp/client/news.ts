// Who wants to hear of changes in the server, and what reaches them. How the server is told to send such news differs with
// the era; that is the `Follower`'s business.

import { toError } from '../../base/errors.ts';
import type { SubscriptionFilter } from '../types.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';
export const listKinds: readonly ListKind[] = ['tools', 'resources', 'prompts'];

export interface ResourceUpdate {
  /** The resource, or a part of the one that was subscribed to. */
  uri: string;
  [key: string]: unknown;
}

/** Why news no longer comes: the server ended the subscription, or the connection is over. */
export type NewsEnd = 'server' | 'connection';

export interface NewsOptions {
  /** Called when it ends without being stopped. It is not renewed by itself. */
  onClosed?: (why: NewsEnd) => void;
}

/** Has the server send what is wanted. */
export interface Follower {
  /** Resolves when updates of the resource will come. */
  follow(uri: string): Promise<void>;
  unfollow(uri: string): Promise<void>;
  /** Which lists are followed has changed. */
  followLists(): void;
}

interface Listener<T> extends NewsOptions {
  handler: (news: T) => void;
}

interface Followed {
  listeners: Set<Listener<ResourceUpdate>>;
  ready: Promise<void>;
}

export class News {
  /** Set once the era is known. */
  follower!: Follower;
  readonly #resources = new Map<string, Followed>();
  readonly #lists: Record<ListKind, Set<Listener<void>>> = {
    tools: new Set(),
    resources: new Set(),
    prompts: new Set(),
  };
  readonly #onError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** All that anybody wants, in the words of `subscriptions/listen`. */
  get filter(): SubscriptionFilter {
    const filter: SubscriptionFilter = {};
    for (const kind of listKinds) if (this.#lists[kind].size > 0) filter[`${kind}ListChanged`] = true;
    if (this.#resources.size > 0) filter.resourceSubscriptions = [...this.#resources.keys()].sort();
    return filter;
  }

  async subscribe(uri: string, handler: (update: ResourceUpdate) => void, options: NewsOptions = {}) {
    const listener = { handler, ...options };
    let followed = this.#resources.get(uri);
    if (!followed) {
      followed = { listeners: new Set(), ready: Promise.resolve() };
      this.#resources.set(uri, followed);
      followed.ready = this.follower.follow(uri);
    }
    followed.listeners.add(listener);
    try {
      await followed.ready;
    } catch (error) {
      if (this.#resources.get(uri) === followed) this.#resources.delete(uri);
      throw error;
    }
    return () => this.#unsubscribe(uri, listener);
  }

  onListChanged(kind: ListKind, handler: () => void, options: NewsOptions = {}): () => void {
    const listeners = this.#lists[kind];
    const listener = { handler, ...options };
    listeners.add(listener);
    if (listeners.size === 1) this.follower.followLists();
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.follower.followLists();
    };
  }

  updated(update: ResourceUpdate): void {
    for (const [uri, { listeners }] of this.#resources) {
      if (isWithin(update.uri, uri)) this.#tell(listeners, update);
    }
  }

  listChanged(kind: ListKind): void {
    this.#tell(this.#lists[kind], undefined);
  }

  /** Subscriptions are gone; whoever follows a list stays known, so that the next `subscribe` covers it again. */
  ended(why: NewsEnd): void {
    const all: NewsOptions[] = [...this.#resources.values()].flatMap(({ listeners }) => [...listeners]);
    for (const kind of listKinds) all.push(...this.#lists[kind]);
    this.#resources.clear();
    for (const { onClosed } of all) this.#guard(() => onClosed?.(why));
  }

  async #unsubscribe(uri: string, listener: Listener<ResourceUpdate>): Promise<void> {
    const followed = this.#resources.get(uri);
    if (!followed?.listeners.delete(listener) || followed.listeners.size > 0) return;
    this.#resources.delete(uri);
    await this.follower.unfollow(uri);
  }

  #tell<T>(listeners: Set<Listener<T>>, news: T): void {
    for (const { handler } of [...listeners]) this.#guard(() => handler(news));
  }

  /** One listener that throws must not keep the news from the others. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onError(toError(error));
    }
  }
}

/** "The URI MAY be a sub-resource of the one that the client subscribed to." */
function isWithin(uri: string, subscribed: string): boolean {
  if (!uri.startsWith(subscribed)) return false;
  return uri.length === subscribed.length || subscribed.endsWith('/') || '/?#'.includes(uri[subscribed.length]!);
}
