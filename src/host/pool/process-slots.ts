// Slots of a server whose processes are not shared by all: a principal, a client, one call, or calls that ask questions own a process. An
// owner (`ProcessSlot`) exists from its first request until it is unused. Its process takes one of a limited number of slots. If all slots
// are taken, requests wait, and the process that has been idle longest is ended. A slot is reused only after its process has exited, so
// there are never more processes than slots.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import { unlessAborted } from '../../base/wait.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import { type Deferred, deferred } from '../supervision/link.ts';
import { serverStopped } from '../supervision/server-errors.ts';
import type { Instance } from './instance.ts';

/** Limit of requests that wait for a slot. Further requests are refused at once. */
const MOST_WAITING = 4096;

export class ProcessSlot {
  readonly key: string;
  readonly instance: Instance;
  /** Number of requests and subscriptions that need the process. */
  uses = 0;
  /** Number of `uses` that are subscriptions. */
  subscriptions = 0;
  /** Number of subscriptions to lists, which do not need a process. */
  watches = 0;
  isEnding = false;
  /** True if the process ends with its last use: its client has disconnected, or it serves one call. */
  isOver: boolean;
  /** True if the owner was removed because it was unused. The next request with its key creates another. */
  isForgotten = false;
  /** True if another `share` applies: the owner gets no more requests, and its unsent requests are routed again. */
  isRetired = false;
  idleSinceMs = 0;
  /** Settles when the owner gets a slot. */
  waiting: Deferred<void> | undefined;

  constructor(key: string, instance: Instance, isOver: boolean) {
    this.key = key;
    this.instance = instance;
    this.isOver = isOver;
  }
}

/** Limits of a request's wait for a slot. */
export interface Patience {
  timeoutMs: number;
  signal: CancelSignal | undefined;
}

export class ProcessSlots {
  readonly #slots = new Map<string, ProcessSlot>();
  readonly #retired = new Map<ProcessSlot, Promise<void>>();
  /** Owners that have a slot, and owners that wait for one. */
  readonly #placed = new Set<ProcessSlot>();
  readonly #queue = new Set<ProcessSlot>();
  readonly #clock: Clock;
  readonly #config: () => ServerConfig;
  /** Number of waiting requests. */
  waiting = 0;
  /** Sums over removed owners. */
  readonly past = { calls: 0, errors: 0, restarts: 0, lastError: undefined as string | undefined };
  #sweep: Timer | undefined;

  constructor(clock: Clock, config: () => ServerConfig) {
    this.#clock = clock;
    this.#config = config;
  }

  /** Owners that get requests. */
  get current(): ProcessSlot[] {
    return [...this.#slots.values()];
  }

  /** Includes retired owners, until their processes have exited. */
  get all(): ProcessSlot[] {
    return [...this.#slots.values(), ...this.#retired.keys()];
  }

  find(key: string): ProcessSlot | undefined {
    return this.#slots.get(key);
  }

  add(key: string, instance: Instance, isOver: boolean): ProcessSlot {
    const slot = new ProcessSlot(key, instance, isOver);
    this.#slots.set(key, slot);
    return slot;
  }

  /** Must be followed by `leave`. Returns a promise if the request has to wait for a slot. */
  enter(slot: ProcessSlot, patience: Patience): undefined | Promise<void> {
    slot.uses++;
    if (slot.isEnding) return this.#wait(slot, patience);
    if (this.#placed.has(slot)) return undefined;
    if (this.hasRoom) return this.#give(slot);
    return this.#wait(slot, patience);
  }

  leave(slot: ProcessSlot): void {
    slot.uses--;
    if (slot.uses > 0) return;
    slot.idleSinceMs = this.#clock.nowMs();
    this.#queue.delete(slot);
    slot.waiting = undefined;
    if (slot.isEnding) return;
    if (!this.#placed.has(slot) || slot.instance.supervised.isAtRest) return this.#ended(slot);
    if (slot.isOver) return this.#end(slot, 'its call has ended or its client has disconnected');
    this.#makeRoom();
    this.#sweepLater();
  }

  watched(slot: ProcessSlot, count: 1 | -1): void {
    slot.watches += count;
    if (count < 0) this.#forget(slot);
  }

  over(slot: ProcessSlot): void {
    slot.isOver = true;
    if (slot.uses > 0 || slot.isEnding) return;
    if (this.#placed.has(slot)) this.#end(slot, 'its client has disconnected');
    else this.#forget(slot);
  }

  /** Called after a command has ended the process and it has exited. */
  rested(slot: ProcessSlot): void {
    if (slot.uses === 0 && !slot.isEnding && slot.instance.supervised.isAtRest) this.#ended(slot);
  }

  /** Rejects the requests that wait for a slot. */
  refuse(error: Error): void {
    for (const slot of this.#queue) {
      slot.waiting?.reject(error);
      slot.waiting = undefined;
    }
    this.#queue.clear();
  }

  /** Retires all owners. The promises resolve when their processes have exited. */
  retire(reason: string): Promise<void>[] {
    this.refuse(serverStopped(this.#config().name, reason));
    for (const slot of this.#slots.values()) {
      const { promise, resolve } = deferred<void>();
      slot.isRetired = true;
      this.#retired.set(slot, promise); // set first, because listeners of the state read the status
      this.#slots.delete(slot.key);
      void slot.instance.supervised.stop(reason).then(() => {
        this.#retired.delete(slot);
        this.#remember(slot);
        this.#ended(slot);
        resolve();
      });
    }
    return [...this.#retired.values()];
  }

  /** Number of slots. The process that all clients share counts towards `maxProcesses`. */
  get most(): number {
    const { by, maxProcesses } = this.#config().share;
    return by === 'all' ? maxProcesses - 1 : maxProcesses;
  }

  /** Whether another owner would get a slot without waiting. */
  get hasRoom(): boolean {
    return this.#queue.size === 0 && this.#placed.size < this.most;
  }

  #give(slot: ProcessSlot): undefined {
    this.#placed.add(slot);
  }

  async #wait(slot: ProcessSlot, { timeoutMs, signal }: Patience): Promise<void> {
    if (this.waiting >= MOST_WAITING) {
      this.leave(slot);
      throw this.#full(`${MOST_WAITING} requests wait for one already`);
    }
    slot.waiting ??= deferred();
    this.#queue.add(slot);
    this.#makeRoom();
    this.waiting++;
    let timer: Timer | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = this.#clock.after(timeoutMs, () => reject(this.#full(`none became idle within ${timeoutMs} ms`)));
    });
    try {
      const place = Promise.race([slot.waiting.promise, timeout]);
      await (signal ? unlessAborted(place, signal) : place);
    } catch (error) {
      this.leave(slot);
      throw error;
    } finally {
      timer?.cancel();
      this.waiting--;
    }
  }

  #full(why: string): RpcError {
    const { name, share } = this.#config();
    const message = `Server "${name}" is at its limit of processes (${share.maxProcesses}): all are in use by others, and ${why}`;
    const hint = 'Raise "maxProcesses" of "share" in its config entry, or use fewer clients at a time.';
    return new RpcError(RpcCode.serverBusy, `${message}. ${hint}`, { maxProcesses: share.maxProcesses }, { hint });
  }

  /** Ends as many idle processes as needed for the owners that wait for a slot. */
  #makeRoom(): void {
    const placed = [...this.#placed];
    const ending = placed.filter(({ isEnding, isRetired }) => isEnding || isRetired).length;
    const missing = this.#queue.size - ending - (this.most - this.#placed.size);
    if (missing <= 0) return;
    const idle = placed.filter(({ uses, isEnding, isRetired }) => uses === 0 && !isEnding && !isRetired);
    const oldest = idle.sort((a, b) => a.idleSinceMs - b.idleSinceMs).slice(0, missing);
    for (const slot of oldest) this.#end(slot, 'its process slot was needed for another client');
  }

  #end(slot: ProcessSlot, reason: string): void {
    slot.isEnding = true;
    void slot.instance.supervised.end(reason, false, true).then(() => {
      slot.isEnding = false;
      this.#ended(slot);
    });
  }

  #ended(slot: ProcessSlot): void {
    this.#placed.delete(slot);
    this.#forget(slot);
    for (const next of this.#queue) {
      if (this.#placed.size >= this.most) break;
      if (next.isEnding) continue;
      this.#give(next);
      this.#queue.delete(next);
      next.waiting?.resolve();
      next.waiting = undefined;
    }
    this.#makeRoom();
  }

  /** An owner that failed is kept for `idleMs`, so that its next request does not repeat all restarts. */
  #forget(slot: ProcessSlot): void {
    if (slot.uses + slot.watches > 0 || this.#placed.has(slot) || slot.isEnding) return;
    if (this.#slots.get(slot.key) !== slot) return;
    if (hasFailed(slot) && !slot.isOver) return this.#sweepLater();
    this.#slots.delete(slot.key);
    slot.isForgotten = true;
    this.#remember(slot);
  }

  #remember(slot: ProcessSlot): void {
    const { calls, errors, restarts, lastError } = slot.instance.supervised.status;
    this.past.calls += calls;
    this.past.errors += errors;
    this.past.restarts += restarts;
    this.past.lastError = lastError ?? this.past.lastError;
  }

  #sweepLater(): void {
    if (this.#sweep) return;
    const { idleMs } = this.#config().share;
    const sinceMs = Math.min(...this.#idle().map(({ idleSinceMs }) => idleSinceMs));
    if (sinceMs === Number.POSITIVE_INFINITY) return; // no process is idle
    this.#sweep = this.#clock.after(Math.max(0, sinceMs + idleMs - this.#clock.nowMs()), () => {
      this.#sweep = undefined;
      const nowMs = this.#clock.nowMs();
      const over = this.#idle().filter(({ idleSinceMs }) => idleSinceMs <= nowMs - idleMs);
      for (const slot of over) this.#end(slot, `idle for ${idleMs} ms`);
      this.#sweepLater();
    });
    this.#sweep.keepAlive(false);
  }

  #idle(): ProcessSlot[] {
    return [...this.#slots.values()].filter(
      (slot) => slot.uses === 0 && !slot.isEnding && (this.#placed.has(slot) || hasFailed(slot)),
    );
  }
}

function hasFailed({ instance }: ProcessSlot): boolean {
  return instance.supervised.state === 'failed';
}
