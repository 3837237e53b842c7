// A server of a host as a service. Requests run on the process that is ready, wait through restarts, and are sent again only
// where that is safe. Watches are renewed on each new process; their watchers then get one notification of each kind they
// asked for, since what changed meanwhile is not known.

import { notAllowed } from '../config/tool-filter.ts';
import type { Client } from '../mcp/client/client.ts';
import type { CallOptions } from '../mcp/client/options.ts';
import { type ListKind, listKinds } from '../mcp/client/watchers.ts';
import type { Caller, Params, Result, Service, ServiceFacts, Watcher } from '../mcp/service.ts';
import type { Tool } from '../mcp/types.ts';
import type { Member } from './member.ts';
import { refusedUnknown } from './unknown-name.ts';

/** These read only: a request whose outcome is unknown may be sent again. */
const reads = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);
/** Asked about the server, not calls of its user: not counted in the status. */
const uncounted = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'completion/complete',
]);

export class ProcessService implements Service {
  readonly #member: Member;
  readonly #watches = new Set<Watch>();

  constructor(member: Member) {
    this.#member = member;
  }

  describe(): Promise<ServiceFacts> {
    return this.#read(async ({ server: { info, capabilities, instructions } }) => ({
      info,
      capabilities,
      instructions,
    }));
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    if (method === 'tools/call') return this.#callTool(params, caller);
    const repeatable = caller.repeatable ?? reads.has(method);
    const result = this.#member.supervised.use(
      (client) => client.request(method, params, optionsOf(caller, client.server)),
      {
        repeatable,
        counts: !uncounted.has(method),
        signal: caller.signal,
      },
    );
    return method === 'tools/list' ? result.then((page) => this.#allowedOf(page)) : result;
  }

  notify(): void {
    // it says something about one client, and the process is shared by all
  }

  /** A server that is not running is started only for resources: of its lists, watchers are notified when it is ready. */
  async watch(watcher: Watcher): Promise<() => void> {
    const watch = new Watch(watcher);
    this.#watches.add(watch);
    const { supervised, client } = this.#member;
    try {
      if (watcher.filter.resourceSubscriptions?.length) await this.#read((ready) => watch.follow(ready));
      else if (supervised.state === 'ready') await watch.follow(client!);
      watch.began = true;
    } catch (error) {
      this.#watches.delete(watch);
      watch.stop();
      throw error;
    }
    return () => {
      this.#watches.delete(watch);
      watch.stop();
    };
  }

  /** To be called once for each process, as soon as it is connected. */
  follow(client: Client): void {
    for (const watch of this.#watches) {
      watch.follow(client).then(
        () => watch.notifyAll(),
        () => this.#watches.delete(watch) && watch.end(),
      );
    }
  }

  /** The server is no part of the host any more. */
  end(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  #callTool(params: Params, caller: Caller): Promise<Result> {
    const { memory, mayUse, supervised, config } = this.#member;
    const tool = params.name as string;
    if (!mayUse(tool)) return Promise.reject(notAllowed(config.name, tool));
    const call = (client: Client) => {
      memory.refresh(client);
      return client.request('tools/call', params, optionsOf(caller, client.server));
    };
    const repeatable = caller.repeatable ?? memory.permissionFor(tool);
    const result = supervised.use(call, { repeatable, signal: caller.signal });
    if (memory.tools.length === 0 || memory.tools.some(({ name }) => name === tool)) return result;
    const names = memory.tools.map(({ name }) => name).filter(mayUse);
    return result.catch((error) => Promise.reject(refusedUnknown(error, tool, names)));
  }

  #allowedOf(page: Result): Result {
    const tools = page.tools as Tool[] | undefined;
    if (!Array.isArray(tools)) return page;
    const allowed = tools.filter((tool) => this.#member.mayUse(tool?.name));
    return allowed.length === tools.length ? page : { ...page, tools: allowed };
  }

  #read<T>(run: (client: Client) => Promise<T>): Promise<T> {
    return this.#member.supervised.use(run, { repeatable: true, counts: false });
  }
}

/** One watcher, on one process after another. The client holds one subscription for all watchers of a URI. */
class Watch {
  /** Its watcher was told that notifications will come. */
  began = false;
  readonly #watcher: Watcher;
  #client: Client | undefined;
  #following: Promise<void> = Promise.resolve();
  #stops: (() => unknown)[] = [];
  #stopped = false;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  /** Resolves when notifications of this process will come. */
  follow(client: Client): Promise<void> {
    if (this.#client === client) return this.#following;
    this.#client = client;
    this.#stops = [];
    this.#following = this.#subscribe(client);
    return this.#following;
  }

  /** Something may have changed since the process before. */
  notifyAll(): void {
    if (this.#stopped || !this.began) return;
    for (const kind of this.#lists()) this.#watcher.notified(`notifications/${kind}/list_changed`, undefined);
    for (const uri of this.#watcher.filter.resourceSubscriptions ?? []) this.#updated({ uri });
  }

  stop(): void {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  end(): void {
    if (this.#stopped) return;
    this.stop();
    this.#watcher.ended?.();
  }

  async #subscribe(client: Client): Promise<void> {
    const { era, capabilities } = client.server;
    const { filter } = this.#watcher;
    for (const kind of this.#lists()) {
      // A modern server is asked to announce changes, so it is asked only if it can.
      if (era === 'modern' && !capabilities[kind]?.listChanged) continue;
      const changed = () => this.#watcher.notified(`notifications/${kind}/list_changed`, undefined);
      this.#stops.push(client.onListChanged(kind, changed));
    }
    if (filter.logs) {
      const log = (message: object) => this.#watcher.notified('notifications/message', message as Params);
      this.#stops.push(client.onLog(log));
    }
    const uris = filter.resourceSubscriptions ?? [];
    const stops = await Promise.all(uris.map((uri) => client.subscribe(uri, (update) => this.#updated(update))));
    for (const stop of stops) this.#stops.push(() => stop().catch(() => undefined)); // the process is gone
    if (this.#stopped) this.stop();
  }

  #updated(update: Params): void {
    this.#watcher.notified('notifications/resources/updated', update);
  }

  #lists(): ListKind[] {
    return listKinds.filter((kind) => this.#watcher.filter[`${kind}ListChanged`]);
  }
}

function optionsOf(caller: Caller, { era }: Client['server']): CallOptions {
  const { signal, timeoutMs, totalTimeoutMs, wantsProgress, client } = caller;
  return {
    signal,
    timeoutMs,
    totalTimeoutMs,
    onProgress: wantsProgress ? (progress) => caller.progress({ ...progress }) : undefined,
    // Earlier revisions have a level for the session alone.
    logLevel: era === 'modern' ? client.logLevel : undefined,
  };
}
