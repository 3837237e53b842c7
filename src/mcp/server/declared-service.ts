// Turns the declared handlers of a server into a service, which describes, lists, runs and watches them.

import { reaches } from '../meta.ts';
import { type ListKind, methodsOfMcp } from '../methods.ts';
import { methodNotFound } from '../protocol-errors.ts';
import type { Caller, Params, Result, Service, ServiceFacts, Watcher } from '../service.ts';
import type { Implementation, LogLevel, ServerCapabilities, Tool } from '../types.ts';
import { callTool, complete, getPrompt, listPage, readResource } from './methods.ts';
import { Registry } from './registry.ts';

export interface DeclaredServiceOptions {
  /** Instructions for the model that uses this server. */
  instructions?: string;
  /** Capabilities in addition to those that follow from the declared tools, resources and prompts. */
  capabilities?: ServerCapabilities;
  /** The number of tools, resources or prompts on a page of a list. Default: 250. */
  pageSize?: number;
}

export class DeclaredService implements Service {
  readonly registry = new Registry((kind) => this.#changed(kind));
  readonly #info: Implementation;
  readonly #options: DeclaredServiceOptions;
  readonly #pageSize: number;
  readonly #watchers = new Set<Watcher>();
  readonly #watchersByUri = new Map<string, Set<Watcher>>();
  readonly #changedLists = new Set<ListKind>();
  #facts: ServiceFacts | undefined;

  constructor(info: Implementation, options: DeclaredServiceOptions) {
    this.#info = info;
    this.#options = options;
    this.#pageSize = options.pageSize ?? 250;
  }

  /** Cached, because it is read on every request. */
  describe(): ServiceFacts {
    this.#facts ??= {
      info: this.#info,
      capabilities: this.#capabilities(),
      instructions: this.#options.instructions,
    };
    return this.#facts;
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    return this.#run(method, params, caller) as Result | Promise<Result>;
  }

  #run(method: string, params: Params, caller: Caller): object {
    const { registry } = this;
    switch (method) {
      case 'tools/call':
        this.#mustHave('tools', method);
        return callTool(registry, params, caller);
      case 'resources/read':
        this.#mustHave('resources', method);
        return readResource(registry, params, caller);
      case 'prompts/get':
        this.#mustHave('prompts', method);
        return getPrompt(registry, params, caller);
      case 'completion/complete':
        if (!this.describe().capabilities.completions) throw methodNotFound(method, 'this server has no completions');
        return complete(registry, params);
      default: {
        const list = methodsOfMcp.get(method)?.list;
        if (!list) throw methodNotFound(method);
        this.#mustHave(list.kind, method);
        return listPage(registry[list.member], list.member, params, this.#pageSize);
      }
    }
  }

  tool(name: string): Tool | undefined {
    return this.registry.tools.get(name)?.definition;
  }

  notify(): void {
    // Handlers for notifications cannot be declared.
  }

  watch(watcher: Watcher): Promise<() => void> {
    const uris = new Set(watcher.filter.resourceSubscriptions);
    this.#watchers.add(watcher);
    for (const uri of uris) {
      const watchers = this.#watchersByUri.get(uri);
      if (watchers) watchers.add(watcher);
      else this.#watchersByUri.set(uri, new Set([watcher]));
    }
    return Promise.resolve(() => {
      this.#watchers.delete(watcher);
      for (const uri of uris) {
        const watchers = this.#watchersByUri.get(uri);
        watchers?.delete(watcher);
        if (watchers?.size === 0) this.#watchersByUri.delete(uri);
      }
    });
  }

  resourceUpdated(uri: string): void {
    for (const watcher of this.#watchersByUri.get(uri) ?? []) {
      watcher.notified('notifications/resources/updated', { uri });
    }
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    const params = logger === undefined ? { level, data } : { level, logger, data };
    for (const watcher of this.#watchers) {
      const { logs } = watcher.filter;
      if (logs !== undefined && reaches(level, logs)) watcher.notified('notifications/message', params);
    }
  }

  /** Sends one notification for all changes of one turn. */
  #changed(kind: ListKind): void {
    this.#facts = undefined;
    if (this.#watchers.size === 0) return;
    if (this.#changedLists.size === 0) queueMicrotask(() => this.#notifyChanges());
    this.#changedLists.add(kind);
  }

  #notifyChanges(): void {
    for (const kind of this.#changedLists) {
      for (const watcher of this.#watchers) {
        if (watcher.filter[`${kind}ListChanged`]) watcher.notified(`notifications/${kind}/list_changed`, undefined);
      }
    }
    this.#changedLists.clear();
  }

  #capabilities(): ServerCapabilities {
    const { tools, resources, resourceTemplates: templates, prompts } = this.registry;
    const completes = [...templates.entries(), ...prompts.entries()].some(
      ({ completers }) => Object.keys(completers).length > 0,
    );
    return {
      logging: {},
      ...(tools.size > 0 && { tools: { listChanged: true } }),
      ...(resources.size + templates.size > 0 && { resources: { subscribe: true, listChanged: true } }),
      ...(prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(completes && { completions: {} }),
      ...this.#options.capabilities,
    };
  }

  #mustHave(kind: ListKind, method: string): void {
    if (!this.describe().capabilities[kind]) throw methodNotFound(method, `this server has no ${kind}`);
  }
}
