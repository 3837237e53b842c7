// The lists of all servers of a host. A known name is found without a request to any server, so that a call never waits for another server.
// The last list of a server stays in use for resolving names until it is read again.

import { Cancellable } from '../../base/cancel-signal.ts';
import type { Clock } from '../../base/clock.ts';
import type { UsageError } from '../../base/errors.ts';
import { textOf } from '../../base/text-of.ts';
import { SILENT, unlessAborted, within } from '../../base/wait.ts';
import type { ListEntries } from '../../mcp/catalogue.ts';
import { isLinked } from '../../mcp/extensions/extension.ts';
import { linksOf } from '../../mcp/extensions/linked-uris.ts';
import { type ListKind, type ListName, listMethods } from '../../mcp/methods.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { Caller } from '../../mcp/service.ts';
import type { HostedServer } from '../hosted-server.ts';
import { serverNotReady } from '../supervision/server-errors.ts';
import { isAway } from '../supervision/server-state.ts';
import { catalogOf, type OfferCatalog } from './catalog.ts';
import { lastingPart, listedName, serverParts } from './listed-names.ts';
import { unknownServer } from './unknown-name.ts';

/** How long a list waits for servers that are not ready. */
const LIST_WAIT_MS = 10_000;

/** Servers that a list waits for: ready servers only, all for a limited time, or all without a limit. */
export type ListWait = 'none' | 'limited' | 'all';

/** State that all clients share, regardless of their rights. */
interface Store {
  readonly byMember: Map<HostedServer, ListedServer>;
  /** Server and kind of the lists that were left out of a merged list and are still being read. */
  readonly late: Set<string>;
  version: number;
  readonly members: () => readonly HostedServer[];
  readonly clock: Clock;
  /** Called when a server that was left out of a list has answered. */
  readonly onLate: (server: HostedServer, kind: ListKind) => void;
}

export class MergedLists {
  readonly #store: Store;
  readonly #rights: Rights | undefined;
  #all: readonly ListedServer[] = [];
  #parts: ReadonlyMap<string, string> = new Map();
  #byPart: ReadonlyMap<string, ListedServer> = new Map();
  #version = -1;

  private constructor(store: Store, rights: Rights | undefined) {
    this.#store = store;
    this.#rights = rights;
  }

  static of(members: Store['members'], clock: Clock, onLate: Store['onLate']): MergedLists {
    return new MergedLists({ byMember: new Map(), late: new Set(), version: 0, members, clock, onLate }, undefined);
  }

  /** A view limited to these rights. Names in it do not depend on other servers and tools. */
  restrictedTo(rights: Rights): MergedLists {
    return new MergedLists(this.#store, rights);
  }

  /** The servers in the order of the config. */
  get all(): readonly ListedServer[] {
    this.#update();
    return this.#all;
  }

  get servers(): readonly string[] {
    return this.all.map(({ server }) => server);
  }

  /** The prefix of a server in the names of its tools and prompts. */
  partOf(server: string): string {
    this.#update();
    return this.#parts.get(server) ?? lastingPart(server);
  }

  byPart(part: string): ListedServer | undefined {
    this.#update();
    return this.#byPart.get(part);
  }

  mayUseTool(server: string, tool: string): boolean {
    return this.#rights?.mayUseTool(server, tool) ?? true;
  }

  get limitsTools(): boolean {
    return this.#rights?.limitsTools ?? false;
  }

  noServer(name: string): UsageError {
    return unknownServer(name, this.servers, []);
  }

  /** Must be called when servers of the host were added, removed or changed. */
  changed(): void {
    const { members, byMember } = this.#store;
    this.#store.version++;
    const present = new Set(members());
    for (const member of byMember.keys()) if (!present.has(member)) byMember.delete(member);
  }

  /** `waitMs` overrides the usual limit of the wait. */
  async read<T extends ListedEntry>(list: ListName, wait: ListWait, waitMs?: number): Promise<OfferCatalog<T>> {
    const { entries, failed } = await this.refresh(list, wait, waitMs);
    const { nameKey } = listMethods[list];
    const nameOf = (entry: ListedEntry) => textOf(entry[nameKey as keyof ListedEntry]);
    const offers = new Map<string, readonly T[]>();
    for (const [lists, all] of entries) {
      const mayUse =
        list === 'tools'
          ? (name: string) => this.mayUse(lists, list, name)
          : await this.#mayRead(lists, all.map(nameOf));
      offers.set(lists.server, (mayUse ? all.filter((entry) => mayUse(nameOf(entry))) : all) as readonly T[]);
    }
    return { offers: catalogOf(offers, nameOf), failed };
  }

  /** Reads the lists that are no longer valid. Returns the entries of each server that has the list, including hidden entries. */
  async refresh(
    list: ListName,
    wait: ListWait,
    waitMs = wait === 'limited' ? LIST_WAIT_MS : undefined,
  ): Promise<{ entries: Map<ListedServer, readonly ListedEntry[]>; failed: OfferCatalog<unknown>['failed'] }> {
    const failed: OfferCatalog<unknown>['failed'] = [];
    const asked = this.all.filter(({ member: { config, supervised } }) => {
      // A list does not wait for an unavailable server. When the server is ready again, clients are notified of a changed list.
      const isLeftOut = wait !== 'all' && isAway(supervised.state);
      if (isLeftOut) failed.push({ server: config.name, error: supervised.failure() });
      return config.enabled && !isLeftOut && (wait !== 'none' || supervised.state === 'ready');
    });
    const entries = new Map<ListedServer, readonly ListedEntry[]>(asked.map((lists) => [lists, []]));
    const ask = async (lists: ListedServer) => {
      try {
        const read = lists.read(list);
        const isBounded = waitMs !== undefined && read instanceof Promise;
        entries.set(lists, await (isBounded ? this.#inTime(lists, list, read, waitMs) : read));
      } catch (error) {
        entries.delete(lists);
        failed.push({ server: lists.server, error: error as Error });
      }
    };
    await Promise.all(asked.map(ask));
    const order = this.servers;
    failed.sort((one, other) => order.indexOf(one.server) - order.indexOf(other.server));
    return { entries, failed };
  }

  /** Whether the entry of the server may be used: by its config, and with these rights. */
  mayUse({ server, member }: ListedServer, list: ListName, name: string): boolean {
    return list !== 'tools' || (member.mayUse(name) && this.mayUseTool(server, name));
  }

  /** Resources that belong to tools exist only with a tool that may be used. Undefined if all of the names may be used. */
  async #mayRead(lists: ListedServer, names: readonly string[]): Promise<((name: string) => boolean) | undefined> {
    if (!(this.limitsTools || lists.member.limitsTools) || !names.some(isLinked)) return undefined;
    const tools = (await lists.read('tools')).filter(({ name }) => this.mayUse(lists, 'tools', textOf(name)));
    const links = linksOf(tools);
    return (name) => !isLinked(name) || links.has(name);
  }

  /** Reads from one server for as long as lists wait, or until the caller gives up. The signal for `read` aborts at that time. */
  async inTime<T>(
    { server, member }: ListedServer,
    { signal }: Pick<Caller, 'signal'>,
    read: (stop: Cancellable) => Promise<T>,
  ): Promise<T> {
    const stop = new Cancellable();
    const timer = this.#store.clock.after(LIST_WAIT_MS, () =>
      stop.cancel(serverNotReady(server, LIST_WAIT_MS, member.whyAway)),
    );
    const abort = () => stop.cancel(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      return await unlessAborted(read(stop), stop);
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** A client may wait for less than the usual time. Others are then notified only of entries that they may not have seen. */
  async #inTime<T>(lists: ListedServer, list: ListName, read: Promise<T>, waitMs: number): Promise<T> {
    const { clock, late, onLate } = this.#store;
    const { server, member } = lists;
    const [begunMs, before] = [clock.nowMs(), lists.last(list)];
    const settled = read.then(
      () => true,
      () => false, // the server has failed and is left out
    );
    if ((await within(clock, waitMs, settled)) !== SILENT) return read;
    const key = `${list} ${server}`;
    if (!late.has(key)) {
      late.add(key);
      void settled.then((isRead) => {
        late.delete(key);
        const isLate = clock.nowMs() - begunMs >= LIST_WAIT_MS;
        if (isRead && (isLate || !hasSameEntries(before, lists.last(list)))) onLate(member, listMethods[list].kind);
      });
    }
    throw serverNotReady(server, waitMs, member.whyAway);
  }

  #update(): void {
    const { version, members } = this.#store;
    if (this.#version === version) return;
    this.#version = version;
    const visible = members().filter(({ config }) => this.#rights?.mayUseServer(config.name) ?? true);
    this.#all = visible.map((member) => this.#of(member));
    this.#parts = serverParts(this.#all.map(({ server }) => server));
    this.#byPart = new Map([
      ...this.#all.map((lists) => [lastingPart(lists.server), lists] as const),
      ...this.#all.map((lists) => [this.#parts.get(lists.server)!, lists] as const),
    ]);
  }

  #of(member: HostedServer): ListedServer {
    const { byMember } = this.#store;
    const lists = byMember.get(member) ?? new ListedServer(member);
    byMember.set(member, lists);
    return lists;
  }
}

function hasSameEntries(before: Names, now: Names): boolean {
  if (before === now) return true;
  return before.size === now.size && JSON.stringify([...before]) === JSON.stringify([...now]);
}

export type ListedEntry = Partial<ListEntries[ListName]>;

type Names = ReadonlyMap<string, unknown>;

/** Own names by listed names, for each list and each form of the server's part. There are at most two forms. */
const ownNames = new WeakMap<Names, Map<string, ReadonlyMap<string, string>>>();

export class ListedServer {
  readonly member: HostedServer;

  constructor(member: HostedServer) {
    this.member = member;
  }

  get server(): string {
    return this.member.config.name;
  }

  /** The list that was read last, by name. */
  last<N extends ListName>(list: N): ReadonlyMap<string, ListEntries[N]> {
    return this.member.pool.home.catalogue?.last(list) ?? new Map();
  }

  /** The server's own name for a listed name; `part` stands for the server. */
  ownName(list: ListName, part: string, listed: string): string | undefined {
    const last = this.last(list);
    const byPart = ownNames.get(last) ?? new Map<string, ReadonlyMap<string, string>>();
    const known = byPart.get(part) ?? new Map([...last.keys()].map((name) => [listedName(part, name), name]));
    ownNames.set(last, byPart.set(part, known));
    return known.get(listed);
  }

  get mayLink(): boolean {
    const { client } = this.member;
    return client === undefined || client.server.capabilities.resources !== undefined;
  }

  /** True if the server has failed, is disabled, or was stopped by a command. */
  get isMissing(): boolean {
    const { state, intention } = this.member.supervised;
    return isAway(state) || state === 'disabled' || intention.held !== undefined;
  }

  /** Returns a valid list without a promise. Starts a server that is not running; rejects if the server was stopped. */
  read(list: ListName): readonly ListedEntry[] | Promise<readonly ListedEntry[]> {
    const { home } = this.member.pool;
    const valid = this.isMissing ? undefined : home.catalogue?.valid(list);
    return valid ?? home.service.list(list);
  }
}
