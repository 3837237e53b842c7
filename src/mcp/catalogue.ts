// The lists of one service, shared by everything that reads them. A list is read again only after the service has
// announced a change, or after its cache time has passed.

import { type Clock, systemClock } from '../base/clock.ts';
import { RpcCode, RpcError, toError } from '../base/errors.ts';
import { unlessAborted, within } from '../base/wait.ts';
import type { ClientOptions, ListOptions } from './client/options.ts';
import { type AllPages, type ListSource, type PageLimits, readAllPages } from './client/pages.ts';
import { readMcpTool } from './client/tolerated-results.ts';
import type { Warn } from './client/warnings.ts';
import type { ServiceLayer } from './layers/layer.ts';
import { type ListFacts, type ListKind, type ListName, listMethods, methodsOfMcp } from './methods.ts';
import type { Caller, Params, Result, Service, ServiceFacts } from './service.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from './types.ts';
import { announcedLists, isListening, listKinds } from './watchers.ts';

export interface ListEntries extends Record<ListName, object> {
  tools: Tool;
  resources: Resource;
  resourceTemplates: ResourceTemplate;
  prompts: Prompt;
}

interface CatalogueSource extends ListSource {
  service: Pick<Service, 'watch'>;
  /** Whether the connection has ended. The lists then no longer change. */
  isClosed?: () => boolean;
}

type CatalogueOptions = Pick<ClientOptions, 'clock' | 'maxPages' | 'maxItems' | 'maxListBytes'>;

/** How long the first list waits until announcements have started, so that a change in between is not missed. */
const WATCH_WAIT_MS = 1_000;

const everyList = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };

class KnownList<T> {
  entries: readonly T[] = [];
  byName: ReadonlyMap<string, T> = new Map();
  /** The results as the service sent them, by cursor. */
  pages: ReadonlyMap<unknown, Result> = new Map();
  /** Counts announced changes. */
  changes = 0;
  /** `changes` at the time of the last request. */
  askedAt = -1;
  /** `changes` at the time of the request that was answered with these entries. */
  readAt = -1;
  readMs = 0;
  /** How long the entries are valid for the owner of the catalogue. */
  validMs = 0;
  /** How long the pages are valid for any client. */
  publicMs = 0;
  /** The read in progress, shared by all readers until it settles. */
  reading: Promise<readonly T[]> | undefined;
}

export class Catalogue {
  readonly #source: CatalogueSource;
  readonly #warn: Warn;
  readonly #clock: Clock;
  readonly #limits: PageLimits;
  readonly #lists: { [N in ListName]: KnownList<ListEntries[N]> } = {
    tools: new KnownList(),
    resources: new KnownList(),
    resourceTemplates: new KnownList(),
    prompts: new KnownList(),
  };
  /** Settles when announcements have begun or were refused. */
  #beginning: Promise<void> | undefined;
  /** Whether changes are announced. False until announcements have begun, undefined if there are none. */
  #isWatched: boolean | undefined;
  #stop: (() => unknown) | undefined;

  constructor(source: CatalogueSource, warn: Warn, options: CatalogueOptions) {
    const { clock = systemClock, maxPages = 1_000, maxItems = 100_000, maxListBytes = 256 * 1024 * 1024 } = options;
    this.#source = source;
    this.#warn = warn;
    this.#clock = clock;
    this.#limits = { maxPages, maxItems, maxListBytes };
    if (this.#isLegacy) this.#watch();
  }

  /** Requests announcements of changes and reads the tools. Uses the lists of the previous process until they are read. */
  keep(before?: Catalogue): void {
    for (const name of before ? (Object.keys(listMethods) as ListName[]) : []) {
      const { entries, byName } = before!.#lists[name];
      Object.assign(this.#lists[name], { entries, byName });
    }
    if (!this.#isLegacy) this.#watch();
    this.refresh('tools');
  }

  #watch(): void {
    const { service, server, isClosed } = this.#source;
    const filter = this.#isLegacy ? everyList : announcedLists(server.capabilities);
    if (!isListening(filter)) return;
    const notified = (method: string) => this.changed(method.split('/')[1] as ListKind);
    const ended = () => {
      this.#isWatched = undefined;
      if (!isClosed?.()) this.expire();
    };
    const begun = (stop: () => unknown) => {
      this.#stop = stop;
      if (this.#isWatched) return;
      if (this.#isWatched === false) this.#isWatched = true;
      // A change before this moment was not announced.
      for (const list of Object.values(this.#lists)) if (list.askedAt === list.changes) outdate(list);
    };
    const refused = (error: unknown) => {
      this.#isWatched = undefined;
      const { message } = toError(error);
      this.#warn('listen-failed', `The server sends no notifications about changed lists: ${message}`);
    };
    this.#isWatched = this.#isLegacy; // legacy servers announce changes without a request
    this.#beginning = service.watch({ filter, notified, ended }).then(begun, refused);
  }

  /** Returns a valid cached list synchronously. */
  read<N extends ListName>(
    name: N,
    options: ListOptions = {},
  ): readonly ListEntries[N][] | Promise<readonly ListEntries[N][]> {
    const { fresh, ...call } = options;
    const valid = fresh ? undefined : this.valid(name);
    if (valid) return valid;
    return fresh || Object.keys(call).length > 0 ? this.#read(name, options) : this.reread(name);
  }

  /** Reads the list even if the cached one is valid. Concurrent readers share one read. */
  reread<N extends ListName>(name: N): Promise<readonly ListEntries[N][]> {
    const list: KnownList<ListEntries[N]> = this.#lists[name];
    if (list.reading) return list.reading;
    const reading = this.#read(name, {}).finally(() => {
      if (list.reading === reading) list.reading = undefined;
    });
    list.reading = reading;
    return reading;
  }

  /** Reads the list in the background, unless it was requested since the last change. */
  refresh(name: ListName): void {
    const { askedAt, changes, reading } = this.#lists[name];
    if (askedAt !== changes && !reading) this.reread(name).catch(() => undefined); // readers get the error of their own request
  }

  /** The entries of the list, unless the list must be read again. */
  valid<N extends ListName>(name: N): readonly ListEntries[N][] | undefined {
    const list: KnownList<ListEntries[N]> = this.#lists[name];
    return this.#holds(list, list.validMs) ? list.entries : undefined;
  }

  /** The entries by name, if no change was announced since they were requested. */
  current<N extends ListName>(name: N): ReadonlyMap<string, ListEntries[N]> | undefined {
    const list: KnownList<ListEntries[N]> = this.#lists[name];
    return list.readAt === list.changes ? list.byName : undefined;
  }

  /** The entry in the current list, which is read only after an announced change. */
  find<N extends ListName>(list: N, name: string): ListEntries[N] | undefined | Promise<ListEntries[N] | undefined> {
    const current = this.current(list);
    return current ? current.get(name) : this.reread(list).then(() => this.last(list).get(name));
  }

  /** The entries of the last list by name, whatever has changed since. */
  last<N extends ListName>(name: N): ReadonlyMap<string, ListEntries[N]> {
    return this.#lists[name].byName;
  }

  changed(kind: ListKind): void {
    outdate(this.#lists[kind]);
    if (kind === 'resources') outdate(this.#lists.resourceTemplates);
  }

  expire(): void {
    for (const kind of listKinds) this.changed(kind);
  }

  async close(): Promise<void> {
    await this.#beginning;
    await this.#stop?.();
  }

  /** Answers lists of clients with the known pages, if these are the same for every client. */
  readonly layer: ServiceLayer = (next) => (method, params, caller) => {
    const list = methodsOfMcp.get(method)?.list;
    return list ? this.#page(list, params, caller, () => next(method, params, caller)) : next(method, params, caller);
  };

  async #page(
    { member, kind }: ListFacts,
    { cursor, _meta, ...others }: Params,
    { options, signal }: Caller,
    ask: () => Result | Promise<Result>,
  ): Promise<Result> {
    const list = this.#lists[member];
    if (options?.fresh || Object.keys(others).length > 0) return ask();
    const isTimed = options?.timeoutMs !== undefined || options?.totalTimeoutMs !== undefined;
    // A second read if the list changed during the first.
    for (let time = 1; time <= 2 && !isTimed && this.#mustRead(list, kind); time++) {
      const read = this.reread(member).catch(() => undefined); // if it fails, the client request is sent to the server
      await (signal ? unlessAborted(read, signal) : read);
    }
    const page = this.#holds(list, list.publicMs) ? list.pages.get(cursor) : undefined;
    if (page && list.publicMs === Number.POSITIVE_INFINITY) return page;
    if (page) return { ...page, ttlMs: Math.floor(list.readMs + list.publicMs - this.#clock.nowMs()) };
    const answer = await ask();
    list.publicMs ||= publicMs(answer);
    return answer;
  }

  /** Whether to read the whole list before a client gets a page. A list that could not be read is not tried again before a change. */
  #mustRead(list: KnownList<object>, kind: ListKind): boolean {
    if (list.reading) return true;
    const isPublic = list.publicMs > 0 || (this.#isLegacy && this.#isAnnounced(kind));
    const hasFailed = list.askedAt === list.changes && list.readAt !== list.changes;
    return isPublic && !hasFailed && !this.#holds(list, list.publicMs);
  }

  async #read<N extends ListName>(name: N, options: ListOptions): Promise<readonly ListEntries[N][]> {
    if (this.#isWatched === false) await within(this.#clock, WATCH_WAIT_MS, this.#beginning!);
    const { kind, nameKey } = listMethods[name];
    const list: KnownList<ListEntries[N]> = this.#lists[name];
    const isAnnounced = this.#isAnnounced(kind);
    const askedAt = list.changes;
    list.askedAt = askedAt;
    const { items, pages, ttlMs = 0 } = await this.#allPages(name, options);
    const entries = (
      name === 'tools' ? items.map((tool) => readMcpTool(tool as Tool, this.#warn)) : items
    ) as typeof items;
    if (askedAt < list.readAt) return entries; // the entries of a later request are known
    const validMs = isAnnounced ? Number.POSITIVE_INFINITY : this.#isLegacy ? 0 : ttlMs;
    Object.assign(list, {
      entries,
      byName: new Map(entries.map((entry) => [String(entry[nameKey as keyof object]), entry])),
      pages,
      readAt: askedAt,
      readMs: this.#clock.nowMs(),
      validMs,
      // Requests to a legacy server do not identify the client.
      publicMs: this.#isLegacy ? validMs : Math.min(ttlMs, ...[...pages.values()].map(publicMs)),
    });
    return entries;
  }

  async #allPages<N extends ListName>(name: N, options: ListOptions): Promise<AllPages<ListEntries[N]>> {
    const facts = listMethods[name];
    const { server } = this.#source;
    const none = { items: [], pages: new Map(), ttlMs: 0 };
    if (!mayHave(server, facts.kind)) return none;
    try {
      return await readAllPages(this.#source, facts, this.#limits, this.#warn, options);
    } catch (error) {
      const isMissing = error instanceof RpcError && error.rpcCode === RpcCode.methodNotFound;
      if (server.capabilities[facts.kind] !== undefined || !isMissing) throw error;
      return none;
    }
  }

  get #isLegacy(): boolean {
    return this.#source.server.era === 'legacy';
  }

  #isAnnounced(kind: ListKind): boolean {
    return this.#isWatched === true && this.#source.server.capabilities[kind]?.listChanged === true;
  }

  #holds(list: KnownList<object>, forMs: number): boolean {
    return list.readAt === list.changes && this.#clock.nowMs() < list.readMs + forMs;
  }
}

/** 2026-07-28: how long the page may be cached for all clients; 0 if it may not be shared. */
function publicMs(page: Result): number {
  return page?.cacheScope === 'public' && typeof page.ttlMs === 'number' ? page.ttlMs : 0;
}

/** A read in progress may predate the change. */
function outdate(list: KnownList<unknown>): void {
  list.changes++;
  list.reading = undefined;
}

/**
 * Whether the server may have such a list. A server that declares no list at all may have forgotten to declare them, so
 * the list is requested.
 */
export function mayHave({ capabilities }: Pick<ServiceFacts, 'capabilities'>, kind: ListKind): boolean {
  const { tools, resources, prompts } = capabilities;
  return capabilities[kind] !== undefined || (!tools && !resources && !prompts);
}
