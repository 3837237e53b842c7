// The lists of one server, kept in memory. They are read again after the server has announced a change, after a restart and after a
// change of its entry. The last list stays in use for resolving names until then.

import { type ListKind, type ListName, listMethods } from '../../mcp/methods.ts';
import type { Service } from '../../mcp/service.ts';
import type { Meta } from '../../mcp/types.ts';
import type { Member } from '../member.ts';
import { isAway } from '../supervision/server-state.ts';
import { listedName } from './listed-names.ts';
import type { ServerClient } from './typed-client.ts';

export interface Entry {
  _meta?: Meta;
}

type Entries = readonly Entry[];

interface KnownList {
  entries: Entries | undefined;
  byName: ReadonlyMap<string, Entry>;
  /** Own names by listed names, for each form of the server's part. There are at most two forms. */
  ownNames: Map<string, ReadonlyMap<string, string>>;
  /** True if the list is up to date: a change would have been announced. */
  isFresh: boolean;
  /** Counts announced changes. A list that was requested before a change is not fresh after it. */
  age: number;
  /** `age` at the time of the request. */
  readAt: number;
  reading: Promise<Entries> | undefined;
}

const readers: Record<ListName, (client: ServerClient) => Promise<Entries>> = {
  tools: async (client) => (await client.listTools({ fresh: true })).tools,
  prompts: async (client) => (await client.listPrompts({ fresh: true })).prompts,
  resources: async (client) => (await client.listResources({ fresh: true })).resources,
  resourceTemplates: async (client) => (await client.listResourceTemplates({ fresh: true })).resourceTemplates,
};

const everyList = Object.keys(listMethods) as ListName[];
const everyChange = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

export class ServerLists {
  readonly member: Member;
  readonly #lists: Record<ListName, KnownList>;
  #watch: ReturnType<Service['watch']> | undefined;

  constructor(member: Member) {
    this.member = member;
    this.#lists = Object.fromEntries(everyList.map((name) => [name, unknownList()])) as Record<ListName, KnownList>;
  }

  get server(): string {
    return this.member.config.name;
  }

  /** The entry of this name in the list that was read last. */
  entry(list: ListName, name: string): Entry | undefined {
    return this.#lists[list].byName.get(name);
  }

  /** The entry in the current list. Reads the list only after an announced change. */
  entryNow(list: ListName, name: string): Entry | undefined | Promise<Entry | undefined> {
    const { entries, readAt, age } = this.#lists[list];
    if (entries && readAt === age) return this.entry(list, name);
    const found = () => this.entry(list, name);
    return Promise.resolve(this.read(list)).then(found, found);
  }

  /** The server's own name for a listed name; `part` stands for the server. */
  ownName(list: ListName, part: string, listed: string): string | undefined {
    const { byName, ownNames } = this.#lists[list];
    const known = ownNames.get(part) ?? new Map([...byName.keys()].map((name) => [listedName(part, name), name]));
    ownNames.set(part, known);
    return known.get(listed);
  }

  /** The list that was read last, fresh or not. */
  last(list: ListName): Entries {
    return this.#lists[list].entries ?? [];
  }

  /** Whether its results may link to its resources. */
  get mayLink(): boolean {
    const { client } = this.member;
    return client === undefined || client.server.capabilities.resources !== undefined;
  }

  /** The server has failed, is disabled, or was stopped by a command. */
  get isMissing(): boolean {
    const { state, intention } = this.member.supervised;
    return isAway(state) || state === 'disabled' || intention.held !== undefined;
  }

  /** Returns the list from memory if it is up to date. Starts a server that is not running; rejects if the server was stopped. */
  read(list: ListName): Entries | Promise<Entries> {
    const known = this.#lists[list];
    if (known.isFresh && !this.isMissing) return known.entries!;
    if (known.reading) return known.reading;
    const reading = this.#read(list, known).finally(() => {
      if (known.reading === reading) known.reading = undefined;
    });
    known.reading = reading;
    return reading;
  }

  /** Marks all lists as outdated. */
  expire(): void {
    for (const { kind } of Object.values(listMethods)) this.#changed(kind);
  }

  stop(): void {
    this.#watch?.then(
      (stop) => stop(),
      () => undefined, // never begun
    );
  }

  async #read(list: ListName, known: KnownList): Promise<Entries> {
    await this.#watchChanges();
    const { age } = known;
    const entries = await readers[list](this.member.calls);
    if (age >= known.readAt) this.#learn(list, known, entries, age);
    return entries;
  }

  #learn(list: ListName, known: KnownList, entries: Entries, readAt: number): void {
    const { nameKey, kind } = listMethods[list];
    const byName = new Map<string, Entry>();
    for (const entry of entries) byName.set(String(entry[nameKey as keyof Entry]), entry);
    const facts = this.member.service.describe();
    const announces = !(facts instanceof Promise) && facts.capabilities[kind]?.listChanged === true;
    const isFresh = announces && this.#watch !== undefined && readAt === known.age;
    Object.assign(known, { entries, byName, ownNames: new Map(), isFresh, readAt });
  }

  /** Does not start the server. */
  async #watchChanges(): Promise<void> {
    this.#watch ??= this.member.service.watch({
      filter: everyChange,
      notified: (method) => this.#changed(method.split('/')[1] as ListKind),
      ended: () => {
        this.#watch = undefined;
        this.expire();
      },
    });
    await this.#watch.catch(() => {
      this.#watch = undefined; // the server does not announce changes: its lists are read each time
    });
  }

  #changed(kind: ListKind): void {
    for (const list of everyList) {
      if (listMethods[list].kind !== kind) continue;
      const known = this.#lists[list];
      known.age++;
      known.isFresh = false;
      known.reading = undefined; // a read in progress may predate the change
    }
  }
}

function unknownList(): KnownList {
  return {
    entries: undefined,
    byName: new Map(),
    ownNames: new Map(),
    isFresh: false,
    age: 0,
    readAt: 0,
    reading: undefined,
  };
}
