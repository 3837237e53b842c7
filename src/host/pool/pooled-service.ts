// A hosted server as a service, with one process or several: each request and each subscription goes to the process of its client.
// When `share` changes, unsent requests are routed again.

import type { ServiceRequest } from '../../mcp/layers/layer.ts';
import { isOfMcp } from '../../mcp/methods.ts';
import {
  type Caller,
  type ClientFacts,
  type ClientIdentity,
  type Params,
  type Result,
  type Service,
  type ServiceFacts,
  silentCaller,
  type Watcher,
} from '../../mcp/service.ts';
import type { Tool } from '../../mcp/types.ts';
import type { HostMember } from '../hosted-server.ts';
import { allowedTools } from '../services/allowed-tools.ts';
import { keepWatch } from '../services/watches.ts';
import { hasNotStarted, isStopped } from '../supervision/server-errors.ts';
import { PooledWatch } from './pooled-watch.ts';
import type { Patience, ProcessSlot } from './process-slots.ts';

export class PooledService implements Service {
  readonly #member: HostMember;
  readonly #watches = new Set<PooledWatch>();
  readonly request: ServiceRequest;

  constructor(member: HostMember) {
    this.#member = member;
    this.request = allowedTools(member)((method, params, caller) => this.#route(method, params, caller));
  }

  /** Uses the facts of the last process, even if it has exited, because the next one runs the same entry. */
  describe(client?: ClientFacts): ServiceFacts | Promise<ServiceFacts> {
    if (client && this.#member.pool.keyOf(client) === undefined) this.#member.pool.noticed(client);
    return this.#member.client?.server ?? this.#member.pool.home.service.describe();
  }

  #route(method: string, params: Params, caller: Caller): Promise<Result> {
    const { pool } = this.#member;
    const key = pool.keyOf(caller.client, method);
    if (key !== undefined) return this.#bySlot(pool.slot(key, caller.client, params), method, params, caller);
    pool.beforeUse(method, caller.client);
    if (pool.asksBesideOthers(method, params, caller.client)) return this.#byPlace(method, params, caller);
    return pool.home.service.request(method, params, caller);
  }

  /** Asks the process that would run the call. */
  tool(name: string, client: ClientFacts): Tool | undefined | Promise<Tool | undefined> {
    const { pool, mayUse } = this.#member;
    if (!mayUse(name)) return undefined;
    const key = pool.keyOf(client, 'tools/list');
    if (key === undefined) return pool.home.service.tool(name);
    const catalogue = () => pool.slots.find(key)?.instance.catalogue;
    const known = catalogue()?.current('tools');
    if (known) return known.get(name);
    const listed = this.#route('tools/list', {}, silentCaller(client));
    return listed.then(
      () => catalogue()?.last('tools').get(name),
      () => undefined,
    );
  }

  /** A notification of MCP concerns one client, and the process may be shared by all. Those of extensions pass. */
  notify(method: string, params: Params | undefined, client: ClientFacts): void {
    if (isOfMcp(method)) return;
    const { pool } = this.#member;
    const key = pool.keyOf(client);
    const instance = key === undefined ? pool.home : pool.slots.find(key)?.instance;
    instance?.service.notify(method, params, client);
  }

  watch(watcher: Watcher): Promise<() => void> {
    const { pool, config } = this.#member;
    const ended = () => this.#watches.delete(watch);
    const watch = new PooledWatch(watcher, pool, config.requestTimeoutMs, ended);
    return keepWatch(this.#watches, watch, () => watch.begin());
  }

  gone(client: ClientIdentity): void {
    this.#member.pool.gone(client);
  }

  /** Moves subscriptions after `share` has changed. */
  shareChanged(): void {
    for (const watch of this.#watches) watch.move();
  }

  /** A server that cannot run twice continues with one process. */
  async #byPlace(method: string, params: Params, caller: Caller): Promise<Result> {
    const { places, home } = this.#member.pool;
    const { slot, leave } = places.enter(caller);
    try {
      if (slot) return await this.#bySlot(slot, method, params, caller);
    } catch (error) {
      if (!hasNotStarted(error)) throw error;
    } finally {
      if (slot) leave();
    }
    return home.service.request(method, params, caller).finally(slot ? undefined : leave);
  }

  async #bySlot(slot: ProcessSlot, method: string, params: Params, caller: Caller): Promise<Result> {
    const { slots } = this.#member.pool;
    try {
      await slots.enter(slot, this.#patience(caller));
      try {
        return await slot.instance.service.request(method, params, caller);
      } finally {
        slots.leave(slot);
      }
    } catch (error) {
      if (!slot.isRetired || !isStopped(error)) throw error;
    }
    return this.#route(method, params, caller);
  }

  #patience({ signal, options }: Caller): Patience {
    const timeoutMs = options?.timeoutMs ?? options?.totalTimeoutMs ?? this.#member.config.requestTimeoutMs;
    return { timeoutMs, signal };
  }
}
