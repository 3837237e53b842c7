// The lists of all servers of a host, and which server has a name or a URI. A known name is found without a request to any server, so
// that a call never waits for another server.

import type { Clock } from '../../base/clock.ts';
import type { UsageError } from '../../base/errors.ts';
import { textOf } from '../../base/text-of.ts';
import { SILENT, within } from '../../base/wait.ts';
import { type ListKind, type ListName, listMethods } from '../../mcp/methods.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { HostMember } from '../hosted-server.ts';
import { serverNotReady } from '../supervision/server-errors.ts';
import { isAway } from '../supervision/server-state.ts';
import { catalogOf, type OfferCatalog } from './catalog.ts';
import { lastingPart, serverParts } from './listed-names.ts';
import { type ListedEntry, ListedServer } from './listed-server.ts';
import { unknownServer } from './unknown-name.ts';

/** How long a list waits for servers that are not ready. */
const LIST_WAIT_MS = 10_000;

/** Which servers a list waits for: only those that are ready, all for a limited time, or all without a limit. */
export type ListWait = 'none' | 'limited' | 'all';

/** State that all clients share, regardless of their rights. */
class Store {
  readonly byMember = new Map<HostMember, ListedServer>();
  /** Servers and lists that were left out of a list and are being read. */
  readonly late = new Set<string>();
  /** Counts changes of the set of servers. */
  version = 0;
  readonly members: () => readonly HostMember[];
  readonly clock: Clock;
  /** Called when a server that was left out of a list has answered. */
  readonly onLate: (server: HostMember, kind: ListKind) => void;

  constructor(members: Store['members'], clock: Clock, onLate: Store['onLate']) {
    this.members = members;
    this.clock = clock;
    this.onLate = onLate;
  }
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

  static of(...given: ConstructorParameters<typeof Store>): MergedLists {
    return new MergedLists(new Store(...given), undefined);
  }

  /** A view limited to these rights. Other servers and tools do not influence names either. */
  restrictedTo(rights: Rights): MergedLists {
    return new MergedLists(this.#store, rights);
  }

  /** In the order of the config. */
  get all(): readonly ListedServer[] {
    this.#update();
    return this.#all;
  }

  get servers(): readonly string[] {
    return this.all.map(({ server }) => server);
  }

  /** The part that stands for a server in the names of its tools and prompts. */
  partOf(server: string): string {
    this.#update();
    return this.#parts.get(server) ?? lastingPart(server);
  }

  /** The server with this part in the names of its tools. */
  byPart(part: string): ListedServer | undefined {
    this.#update();
    return this.#byPart.get(part);
  }

  mayUseTool(server: string, tool: string): boolean {
    return this.#rights?.mayUseTool(server, tool) ?? true;
  }

  /** Whether some tools of these servers may not be used. */
  get limitsTools(): boolean {
    return this.#rights?.limitsTools ?? false;
  }

  noServer(name: string): UsageError {
    return unknownServer(name, this.servers, []);
  }

  /** Called when servers of the host were added, removed or changed. */
  changed(): void {
    const { members, byMember } = this.#store;
    this.#store.version++;
    const present = new Set(members());
    for (const member of byMember.keys()) if (!present.has(member)) byMember.delete(member);
  }

  /** `waitMs` overrides the usual limit of the wait. */
  async read<T extends ListedEntry>(
    list: ListName,
    wait: ListWait,
    waitMs = wait === 'limited' ? LIST_WAIT_MS : undefined,
  ): Promise<OfferCatalog<T>> {
    const failed: OfferCatalog<T>['failed'] = [];
    const offers = new Map<string, readonly T[]>();
    const asked = this.all.filter(({ member: { config, supervised } }) => {
      // A list does not wait for an unavailable server. The list is announced as changed when the server is ready again.
      const isLeftOut = wait !== 'all' && isAway(supervised.state);
      if (isLeftOut) failed.push({ server: config.name, error: supervised.failure() });
      return config.enabled && !isLeftOut && (wait !== 'none' || supervised.state === 'ready');
    });
    for (const { server } of asked) offers.set(server, []);
    const ask = async (lists: ListedServer) => {
      try {
        const read = lists.read(list);
        const isBounded = waitMs !== undefined && read instanceof Promise;
        const entries = isBounded ? await this.#inTime(lists, list, read, waitMs) : read;
        offers.set(lists.server, this.#allowed(lists.server, list, (await entries) as readonly T[]));
      } catch (error) {
        failed.push({ server: lists.server, error: error as Error });
      }
    };
    await Promise.all(asked.map(ask));
    const order = this.servers;
    failed.sort((one, other) => order.indexOf(one.server) - order.indexOf(other.server));
    const { nameKey } = listMethods[list];
    return { offers: catalogOf(offers, (entry) => textOf(entry[nameKey as keyof T])), failed };
  }

  #allowed<T extends ListedEntry>(server: string, list: ListName, entries: readonly T[]): readonly T[] {
    if (!this.#rights || list !== 'tools') return entries;
    return entries.filter((tool) => this.mayUseTool(server, textOf(tool['name' as keyof T])));
  }

  async #inTime<T>({ server, member }: ListedServer, list: ListName, read: Promise<T>, waitMs: number): Promise<T> {
    const { clock, late, onLate } = this.#store;
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
        if (isRead) onLate(member, listMethods[list].kind);
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

  #of(member: HostMember): ListedServer {
    const { byMember } = this.#store;
    const known = byMember.get(member);
    if (known) return known;
    const lists = new ListedServer(member);
    byMember.set(member, lists);
    return lists;
  }
}
