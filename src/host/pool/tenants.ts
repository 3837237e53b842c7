// Those who have a process beside that of all clients: a principal, a client, one call, or calls that ask. A tenant is there
// from its first request until it is not used any more; its process has one of a limited number of places. When all places are
// taken, the process that was idle for longest ends, and requests wait for its place; none is dropped. The process of a tenant
// ends before its place is given away, so that there are never more processes than places.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import { unlessAborted } from '../../base/wait.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import { type Waiting, waiting } from '../supervision/link.ts';
import { serverStopped } from '../supervision/server-errors.ts';
import type { Instance } from './instance.ts';

/** Requests that wait for a place. More are refused at once. */
const MOST_WAITING = 4096;

export interface Tenant {
  readonly key: string;
  readonly instance: Instance;
  /** Requests and subscriptions that need its process. */
  uses: number;
  /** Those of them that are subscriptions. */
  subscriptions: number;
  /** Watches of lists, which need no process. */
  watches: number;
  /** Its process ends, and then gives its place away. */
  isEnding: boolean;
  /** Its process ends with the last use: its client is gone, or it is for one call. */
  isOver: boolean;
  /** It was not used any more: the next request of its key makes another one. */
  isForgotten: boolean;
  /** Another `share` applies: it gets no more requests, and those that were not sent go elsewhere. */
  isRetired: boolean;
  idleSinceMs: number;
  /** For a place. */
  waiting: Waiting<void> | undefined;
}

/** How long a request waits for a place. */
export interface Patience {
  timeoutMs: number;
  signal: CancelSignal | undefined;
}

export class Tenants {
  /** By key. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #retired = new Map<Tenant, Promise<void>>();
  /** Those that have a place, and those that wait for one. */
  readonly #placed = new Set<Tenant>();
  readonly #queue = new Set<Tenant>();
  readonly #clock: Clock;
  readonly #config: () => ServerConfig;
  /** Requests that wait for a place. */
  waiting = 0;
  /** What those did that are no longer there. */
  readonly past = { calls: 0, errors: 0, restarts: 0, lastError: undefined as string | undefined };
  #sweep: Timer | undefined;

  constructor(clock: Clock, config: () => ServerConfig) {
    this.#clock = clock;
    this.#config = config;
  }

  /** Those that get requests. */
  get current(): Tenant[] {
    return [...this.#tenants.values()];
  }

  /** Also those that are retired, until their processes are gone. */
  get all(): Tenant[] {
    return [...this.#tenants.values(), ...this.#retired.keys()];
  }

  find(key: string): Tenant | undefined {
    return this.#tenants.get(key);
  }

  add(key: string, instance: Instance, isOver: boolean): Tenant {
    const tenant: Tenant = {
      key,
      instance,
      uses: 0,
      subscriptions: 0,
      watches: 0,
      isEnding: false,
      isOver,
      isRetired: false,
      isForgotten: false,
      idleSinceMs: 0,
      waiting: undefined,
    };
    this.#tenants.set(key, tenant);
    return tenant;
  }

  /** Its process may be used from now on, until `leave`. A promise where it has to wait for a place. */
  enter(tenant: Tenant, patience: Patience): undefined | Promise<void> {
    tenant.uses++;
    if (tenant.isEnding) return this.#wait(tenant, patience);
    if (this.#placed.has(tenant)) return undefined;
    if (this.hasRoom) return this.#give(tenant);
    return this.#wait(tenant, patience);
  }

  leave(tenant: Tenant): void {
    tenant.uses--;
    if (tenant.uses > 0) return;
    tenant.idleSinceMs = this.#clock.nowMs();
    this.#queue.delete(tenant);
    tenant.waiting = undefined;
    if (tenant.isEnding) return;
    if (!this.#placed.has(tenant) || tenant.instance.supervised.isAtRest) return this.#ended(tenant);
    if (tenant.isOver) return this.#end(tenant, 'its call or its client is over');
    this.#makeRoom();
    this.#sweepLater();
  }

  /** A watch of lists began or stopped. */
  watched(tenant: Tenant, count: 1 | -1): void {
    tenant.watches += count;
    if (count < 0) this.#forget(tenant);
  }

  /** Ends with its last use. */
  over(tenant: Tenant): void {
    tenant.isOver = true;
    if (tenant.uses > 0 || tenant.isEnding) return;
    if (this.#placed.has(tenant)) this.#end(tenant, 'its client is gone');
    else this.#forget(tenant);
  }

  /** A command ended its process, and that is gone. */
  rested(tenant: Tenant): void {
    if (tenant.uses === 0 && !tenant.isEnding && tenant.instance.supervised.isAtRest) this.#ended(tenant);
  }

  /** A command has stopped the server: requests that wait for a place fail. */
  refuse(error: Error): void {
    for (const tenant of this.#queue) {
      tenant.waiting?.reject(error);
      tenant.waiting = undefined;
    }
    this.#queue.clear();
  }

  /** None of them gets another request. Resolve when their processes are gone. */
  retire(reason: string): Promise<void>[] {
    this.refuse(serverStopped(this.#config().name, reason));
    for (const tenant of this.#tenants.values()) {
      const { promise, resolve } = waiting<void>();
      tenant.isRetired = true;
      this.#retired.set(tenant, promise); // first: listeners of its state ask for the status
      this.#tenants.delete(tenant.key);
      void tenant.instance.supervised.stop(reason).then(() => {
        this.#retired.delete(tenant);
        this.#remember(tenant);
        this.#ended(tenant);
        resolve();
      });
    }
    return [...this.#retired.values()];
  }

  /** The process that all clients share counts too. */
  get most(): number {
    const { by, maxProcesses } = this.#config().share;
    return by === 'all' ? maxProcesses - 1 : maxProcesses;
  }

  /** Whether one more would not have to wait for a place. */
  get hasRoom(): boolean {
    return this.#queue.size === 0 && this.#placed.size < this.most;
  }

  #give(tenant: Tenant): undefined {
    this.#placed.add(tenant);
  }

  async #wait(tenant: Tenant, { timeoutMs, signal }: Patience): Promise<void> {
    if (this.waiting >= MOST_WAITING) {
      this.leave(tenant);
      throw this.#full(`${MOST_WAITING} requests wait for one already`);
    }
    tenant.waiting ??= waiting();
    this.#queue.add(tenant);
    this.#makeRoom();
    this.waiting++;
    let timer: Timer | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = this.#clock.after(timeoutMs, () => reject(this.#full(`none became idle within ${timeoutMs} ms`)));
    });
    try {
      const place = Promise.race([tenant.waiting.promise, timeout]);
      await (signal ? unlessAborted(place, signal) : place);
    } catch (error) {
      this.leave(tenant);
      throw error;
    } finally {
      timer?.cancel();
      this.waiting--;
    }
  }

  #full(why: string): RpcError {
    const { name, share } = this.#config();
    const message = `Server "${name}" is at its limit of processes (${share.maxProcesses}): all are in use by others, and ${why}`;
    const hint = 'Raise "maxProcesses" of "share" in its entry of the config, or use fewer clients at a time.';
    return new RpcError(RpcCode.serverBusy, `${message}. ${hint}`, { maxProcesses: share.maxProcesses }, { hint });
  }

  /** Ends as many idle processes as there are tenants that wait for a place. */
  #makeRoom(): void {
    const placed = [...this.#placed];
    const ending = placed.filter(({ isEnding, isRetired }) => isEnding || isRetired).length;
    const missing = this.#queue.size - ending - (this.most - this.#placed.size);
    if (missing <= 0) return;
    const idle = placed.filter(({ uses, isEnding, isRetired }) => uses === 0 && !isEnding && !isRetired);
    const oldest = idle.sort((a, b) => a.idleSinceMs - b.idleSinceMs).slice(0, missing);
    for (const tenant of oldest) this.#end(tenant, 'its place was needed for another client');
  }

  #end(tenant: Tenant, reason: string): void {
    tenant.isEnding = true;
    void tenant.instance.supervised.end(reason, false, true).then(() => {
      tenant.isEnding = false;
      this.#ended(tenant);
    });
  }

  #ended(tenant: Tenant): void {
    this.#placed.delete(tenant);
    this.#forget(tenant);
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

  /** One that failed is kept for a while: its next request must not start it all over again. */
  #forget(tenant: Tenant): void {
    if (tenant.uses + tenant.watches > 0 || this.#placed.has(tenant) || tenant.isEnding) return;
    if (this.#tenants.get(tenant.key) !== tenant) return;
    if (hasFailed(tenant) && !tenant.isOver) return this.#sweepLater();
    this.#tenants.delete(tenant.key);
    tenant.isForgotten = true;
    this.#remember(tenant);
  }

  #remember(tenant: Tenant): void {
    const { calls, errors, restarts, lastError } = tenant.instance.supervised.status;
    this.past.calls += calls;
    this.past.errors += errors;
    this.past.restarts += restarts;
    this.past.lastError = lastError ?? this.past.lastError;
  }

  #sweepLater(): void {
    if (this.#sweep) return;
    const { idleMs } = this.#config().share;
    const sinceMs = Math.min(...this.#idle().map(({ idleSinceMs }) => idleSinceMs));
    if (sinceMs === Number.POSITIVE_INFINITY) return; // there is none
    this.#sweep = this.#clock.after(Math.max(0, sinceMs + idleMs - this.#clock.nowMs()), () => {
      this.#sweep = undefined;
      const nowMs = this.#clock.nowMs();
      const over = this.#idle().filter(({ idleSinceMs }) => idleSinceMs <= nowMs - idleMs);
      for (const tenant of over) this.#end(tenant, `idle for ${idleMs} ms`);
      this.#sweepLater();
    });
    this.#sweep.keepAlive(false);
  }

  #idle(): Tenant[] {
    return [...this.#tenants.values()].filter(
      (tenant) => tenant.uses === 0 && !tenant.isEnding && (this.#placed.has(tenant) || hasFailed(tenant)),
    );
  }
}

function hasFailed({ instance }: Tenant): boolean {
  return instance.supervised.state === 'failed';
}
