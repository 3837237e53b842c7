// A hosted server as a service, with one process or several: each request and each subscription goes to the process of its client, after the
// `tools` filter of the entry. When `share` changes, unsent requests are routed again.

import { notAllowed } from '../../config/server-config.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { Extension } from '../../mcp/extensions/extension.ts';
import { listedTools } from '../../mcp/extensions/linked-uris.ts';
import { allowedWatch, allowTools, type ToolPolicy } from '../../mcp/layers/allow-tools.ts';
import { compose, type ServiceRequest } from '../../mcp/layers/layer.ts';
import { isOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
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
import { needsServer } from '../../mcp/watchers.ts';
import type { HostedServer } from '../hosted-server.ts';
import { keepWatch, notifyOfAll } from '../services/watches.ts';
import { hasNotStarted, isStopped } from '../supervision/server-errors.ts';
import type { Pool } from './pool.ts';
import type { Patience, ProcessSlot } from './process-slots.ts';

export class PooledService implements Service {
  readonly #member: HostedServer;
  readonly #watches = new Set<PooledWatch>();
  readonly request: ServiceRequest;
  readonly watch: Service['watch'];

  constructor(member: HostedServer) {
    this.#member = member;
    const policy = policyOf(member, (client) => this.#allTools(client));
    this.request = allowTools(policy)((method, params, caller) => this.#route(method, params, caller));
    this.watch = allowedWatch({ request: this.request, watch: (watcher) => this.#watch(watcher) }, policy);
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

  /** Queries the process that would run the call. */
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

  async tools(client: ClientFacts): Promise<readonly Tool[]> {
    const all = await this.#allTools(client);
    return all.filter(({ name }) => this.#member.mayUse(name));
  }

  /** Includes tools that the entry denies. The process of a client that is not running is started. */
  async #allTools(client: ClientFacts): Promise<readonly Tool[]> {
    const { pool } = this.#member;
    const key = pool.keyOf(client, 'tools/list');
    if (key === undefined) {
      pool.beforeUse('resources/read', client); // the method of the request that needs the tools
      return pool.home.service.list('tools');
    }
    const instance = () => pool.slots.find(key)?.instance;
    const valid = instance()?.catalogue?.valid('tools');
    if (valid) return valid;
    const route: ServiceRequest = (method, params, caller) => this.#route(method, params, caller);
    await route('tools/list', {}, silentCaller(client));
    return instance()?.service.list('tools') ?? listedTools(route, { client, signal: undefined });
  }

  /** Passes only notifications of extensions: a notification of MCP concerns one client, and the process may be shared. */
  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void> {
    if (isOfMcp(method)) return undefined;
    const { pool } = this.#member;
    const key = pool.keyOf(client);
    const instance = key === undefined ? pool.home : pool.slots.find(key)?.instance;
    return instance?.service.notify(method, params, client);
  }

  #watch(watcher: Watcher): Promise<() => void> {
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

  /** If no second process of the server can be started, the shared one is used. */
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

/** A subscription of one watcher, at the process of its client. A subscription to lists does not start the process; one to resources keeps it running. */
class PooledWatch {
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
      end?.(); // `share` changed in the meantime
    }
  }

  /** Moves the subscription after `share` has changed. Changes in the meantime are unknown, so the watcher is notified of everything. */
  move(): void {
    if (!this.#end) return; // the subscription is beginning, or has already ended
    this.#end();
    this.#end = undefined;
    this.begin().then(
      () => !this.#stopped && notifyOfAll(this.#watcher),
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

  /** Resolves to undefined if the slot was retired in the meantime. */
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

  /** Returns a function that releases the slot. Only its first call has an effect. */
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
}

type Allowing = Pick<HostedServer, 'config' | 'mayUse' | 'limitsTools'>;

/** Reads `allowing` for each request, because the entry may be replaced. */
function policyOf(allowing: Allowing, tools: Service['tools']): ToolPolicy {
  return {
    tools,
    // An entry without a name stays in the list: it cannot be called.
    mayList: (tool) => typeof tool !== 'string' || allowing.mayUse(tool),
    // A server may accept an array with one name, which the filter would not match.
    mayUse: (tool) => typeof tool === 'string' && allowing.mayUse(tool),
    refusal: (tool) =>
      typeof tool === 'string'
        ? notAllowed(allowing.config.name, tool)
        : invalidParams('tools/call needs a "name", a string'),
    // Methods of the transcript dialect could run any tool.
    refusalOf: (method) => (method.startsWith('mcp/') ? methodNotFound(method) : undefined),
    isLimited: () => allowing.limitsTools,
  };
}

/** One filtered client per process. */
const allowedClients = new WeakMap<Client, Client>();

/** The client for programs that run a host. Its requests pass the filter. */
export function allowedClient(client: Client, allowing: Allowing, extensions: readonly Extension[]): Client {
  const known = allowedClients.get(client);
  if (known) return known;
  const { catalogue, service } = client;
  const filter = allowTools(policyOf(allowing, () => catalogue.read('tools')));
  const allowed = client.withService(compose(service, filter, catalogue.layer), extensions);
  allowedClients.set(client, allowed);
  return allowed;
}
