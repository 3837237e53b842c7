// Subscriptions of the page to resources, with the newest updates of each. Their number is bounded.

import { randomUUID } from 'node:crypto';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import type { Subscription } from '../api.ts';

const MOST_SUBSCRIPTIONS = 100;
const MOST_UPDATES = 100;

interface Kept {
  shown: Subscription;
  stop: () => Promise<void>;
}

export class Subscriptions {
  readonly #nowMs: () => number;
  readonly #changed: (subscription: Subscription) => void;
  readonly #all = new Map<string, Kept>();

  constructor(nowMs: () => number, changed: (subscription: Subscription) => void) {
    this.#nowMs = nowMs;
    this.#changed = changed;
  }

  /** Returns the subscriptions, oldest first. */
  list(): Subscription[] {
    return [...this.#all.values()].map(({ shown }) => shown);
  }

  /** Resolves once the subscription is active. A second subscription to the same resource is the first one. */
  async start(server: string, uri: string, client: ServerClient): Promise<Subscription> {
    const known = [...this.#all.values()].find(({ shown }) => shown.server === server && shown.uri === uri);
    if (known && known.shown.state === 'active') return known.shown;
    if (known) this.#all.delete(known.shown.id);
    if (this.#all.size >= MOST_SUBSCRIPTIONS) {
      throw new HttpProblem(429, `${MOST_SUBSCRIPTIONS} subscriptions are active already: end one of them`);
    }
    const id = randomUUID();
    const put = (change: Partial<Subscription>) => this.#put(id, change);
    const shown: Subscription = { id, server, uri, state: 'starting', count: 0, updates: [] };
    this.#all.set(id, { shown, stop: async () => undefined });
    try {
      const updated = (update: { uri: string }) => this.#updated(id, update.uri);
      const stop = await client.subscribe(uri, updated, { onClosed: (why) => put({ state: 'ended', ended: why }) });
      const kept = this.#all.get(id);
      if (kept) kept.stop = stop;
      else await stop(); // it was ended while it began
      put({ state: 'active' });
      return this.#all.get(id)?.shown ?? shown;
    } catch (error) {
      this.#all.delete(id);
      throw error;
    }
  }

  /** Resolves to false if there is no such subscription. */
  async stop(id: string): Promise<boolean> {
    const kept = this.#all.get(id);
    if (!kept) return false;
    this.#all.delete(id);
    this.#changed({ ...kept.shown, state: 'stopped' });
    await kept.stop();
    return true;
  }

  stopAll(): void {
    for (const { stop } of this.#all.values()) void stop().catch(() => undefined); // the host is closing
    this.#all.clear();
  }

  #updated(id: string, uri: string): void {
    const kept = this.#all.get(id);
    if (!kept) return;
    const { updates, count } = kept.shown;
    const update = { atMs: this.#nowMs(), uri };
    this.#put(id, { count: count + 1, updates: [...updates.slice(1 - MOST_UPDATES), update] });
  }

  #put(id: string, change: Partial<Subscription>): void {
    const kept = this.#all.get(id);
    if (!kept) return;
    kept.shown = { ...kept.shown, ...change };
    this.#changed(kept.shown);
  }
}
