// A subscription of one watcher, at the process of its client. Watching lists does not start the process; a subscription to resources
// keeps it running.

import type { Watcher } from '../../mcp/service.ts';
import { needsServer } from '../../mcp/watchers.ts';
import { notifyOfLists, notifyWatcher } from '../services/watches.ts';
import { isStopped } from '../supervision/server-errors.ts';
import type { Pool } from './pool.ts';
import type { ProcessSlot } from './process-slots.ts';

export class PooledWatch {
  readonly #watcher: Watcher;
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  readonly #onEnded: () => void;
  /** Ends the subscription at the current process. */
  #end: (() => void) | undefined;
  #stopped = false;

  constructor(watcher: Watcher, pool: Pool, timeoutMs: number, onEnded: () => void) {
    this.#watcher = watcher;
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    this.#onEnded = onEnded;
  }

  /** Resolves when notifications will be delivered. */
  async begin(): Promise<void> {
    for (;;) {
      const key = this.#key;
      const slot = key === undefined ? undefined : this.#pool.slot(key, this.#watcher.client);
      const end = await this.#beginAt(slot);
      if (end && !slot?.isRetired && (this.#stopped || this.#key === key)) {
        if (this.#stopped) end();
        else this.#end = end;
        return;
      }
      end?.(); // `share` changed meanwhile
    }
  }

  /** Moves the subscription after `share` has changed. Changes made meanwhile are unknown, so the watcher is notified of everything. */
  move(): void {
    if (!this.#end) return; // beginning, or already ended
    this.#end();
    this.#end = undefined;
    this.begin().then(
      () => this.#notifyAll(),
      () => this.#ended(),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#end?.();
    this.#end = undefined;
  }

  get #key(): string | undefined {
    return this.#pool.keyOf(this.#watcher.client);
  }

  /** Undefined if the slot owner was retired meanwhile. */
  async #beginAt(slot: ProcessSlot | undefined): Promise<(() => void) | undefined> {
    const release = slot && (await this.#enter(slot));
    const { filter, client } = this.#watcher;
    const service = (slot?.instance ?? this.#pool.home).service;
    try {
      const stop = await service.watch({
        filter,
        client,
        accepted: (further) => this.#watcher.accepted?.(further),
        notified: (method, params) => this.#watcher.notified(method, params),
        ended: () => {
          release?.();
          this.#ended();
        },
      });
      return () => {
        stop();
        release?.();
      };
    } catch (error) {
      release?.();
      if (slot?.isRetired && isStopped(error)) return undefined;
      throw error;
    }
  }

  /** Returns a function that releases the use; only its first call has an effect. */
  async #enter(slot: ProcessSlot): Promise<() => void> {
    const { slots } = this.#pool;
    let isOver = false;
    const once = (run: () => void) => () => {
      if (!isOver) run();
      isOver = true;
    };
    if (!needsServer(this.#watcher.filter)) {
      slots.watched(slot, 1);
      return once(() => slots.watched(slot, -1));
    }
    await slots.enter(slot, { timeoutMs: this.#timeoutMs, signal: undefined });
    slot.subscriptions++;
    return once(() => {
      slot.subscriptions--;
      slots.leave(slot);
    });
  }

  #ended(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#end = undefined;
    this.#onEnded();
    this.#watcher.ended?.();
  }

  #notifyAll(): void {
    if (this.#stopped) return;
    notifyOfLists(this.#watcher);
    for (const uri of this.#watcher.filter.resourceSubscriptions ?? []) {
      notifyWatcher(this.#watcher, 'notifications/resources/updated', { uri });
    }
  }
}
