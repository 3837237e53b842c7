// The complete lists of a server, cached until a change is announced or for the time that the server allows.

import type { Clock } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import { type ListKind, type ListName, listMethods } from '../methods.ts';
import type { ServiceFacts } from '../service.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../types.ts';
import { readTool } from './lenient.ts';
import { ListCache } from './list-cache.ts';
import type { CallOptions, ListOptions } from './options.ts';
import { type ListSource, type PageLimits, readAllPages } from './pages.ts';
import type { Warn } from './warnings.ts';

interface Entries extends Record<ListName, unknown> {
  tools: Tool;
  resources: Resource;
  resourceTemplates: ResourceTemplate;
  prompts: Prompt;
}

export interface ListsOptions extends PageLimits {
  clock: Clock;
  warn: Warn;
  /** Called whenever the list of tools was read. */
  onTools: (tools: Tool[]) => void;
}

export class Lists {
  readonly #source: ListSource;
  readonly #options: ListsOptions;
  readonly #caches: { [N in ListName]: ListCache<Entries[N]> };

  constructor(source: ListSource, options: ListsOptions) {
    this.#source = source;
    this.#options = options;
    const { clock } = options;
    this.#caches = {
      tools: new ListCache(clock),
      resources: new ListCache(clock),
      resourceTemplates: new ListCache(clock),
      prompts: new ListCache(clock),
    };
  }

  /** Returns a copy, so the caller may modify it. */
  async get<N extends ListName>(name: N, options: ListOptions = {}): Promise<Entries[N][]> {
    const { fresh, ...call } = options;
    const cache = this.#caches[name];
    const remembered = fresh ? undefined : cache.fresh;
    const shared = !fresh && Object.keys(call).length === 0;
    return [...(remembered ?? (await cache.fetch(() => this.#read(name, call), shared)))];
  }

  invalidate(kind: ListKind): void {
    this.#caches[kind].invalidate();
    if (kind === 'resources') this.#caches.resourceTemplates.invalidate();
  }

  async #read<N extends ListName>(name: N, call: CallOptions) {
    const description = listMethods[name];
    if (!mayHave(this.#source.server, description.kind)) return { items: [], ttlMs: 0 };
    const { warn } = this.#options;
    try {
      const { items, ttlMs } = await readAllPages<Entries[N]>(this.#source, description, this.#options, warn, call);
      const entries = name === 'tools' ? this.#readTools(items as Tool[]) : items;
      return { items: entries as Entries[N][], ttlMs: this.#holdsForMs(description.kind, ttlMs) };
    } catch (error) {
      if (this.#declares(description.kind) || !isMethodNotFound(error)) throw error;
      return { items: [], ttlMs: 0 };
    }
  }

  #readTools(items: Tool[]): Tool[] {
    const tools = items.map((tool) => readTool(tool, this.#options.warn));
    this.#options.onTools(tools);
    return tools;
  }

  #declares(kind: ListKind): boolean {
    return this.#source.server.capabilities[kind] !== undefined;
  }

  #holdsForMs(kind: ListKind, ttlMs: number | undefined): number {
    if (this.#source.server.era === 'modern') return ttlMs ?? 0;
    return this.#source.server.capabilities[kind]?.listChanged ? Number.POSITIVE_INFINITY : 0;
  }
}

/**
 * Whether the server may have such a list. A server that declares no list at all may have forgotten to declare them, so
 * the list is requested.
 */
export function mayHave({ capabilities }: Pick<ServiceFacts, 'capabilities'>, kind: ListKind): boolean {
  const { tools, resources, prompts } = capabilities;
  return capabilities[kind] !== undefined || (!tools && !resources && !prompts);
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === RpcCode.methodNotFound;
}
