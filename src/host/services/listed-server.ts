// A server as the merged service sees it: its lists, by the catalogue of the host's own process, and the names in them. The last list
// stays in use for resolving names until it is read again.

import type { ListEntries } from '../../mcp/catalogue.ts';
import { type ListName, listMethods } from '../../mcp/methods.ts';
import type { HostMember } from '../hosted-server.ts';
import { isAway } from '../supervision/server-state.ts';
import { listedName } from './listed-names.ts';

export type ListedEntry = Partial<ListEntries[ListName]>;

type Names = ReadonlyMap<string, unknown>;

/** Own names by listed names, for each list and each form of the server's part. There are at most two forms. */
const ownNames = new WeakMap<Names, Map<string, ReadonlyMap<string, string>>>();

export class ListedServer {
  readonly member: HostMember;

  constructor(member: HostMember) {
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

  /** Returns a valid list without a promise. Starts a server that is not running; rejects if the server was stopped. */
  read(list: ListName): readonly ListedEntry[] | Promise<readonly ListedEntry[]> {
    const { home } = this.member.pool;
    const valid = this.isMissing ? undefined : home.catalogue?.valid(list);
    return valid ? this.#allowed(list, valid) : home.service.list(list).then((entries) => this.#allowed(list, entries));
  }

  #allowed(list: ListName, entries: readonly ListedEntry[]): readonly ListedEntry[] {
    const { nameKey } = listMethods[list];
    if (list !== 'tools') return entries;
    return entries.filter((tool) => this.member.mayUse(String(tool[nameKey as keyof ListedEntry])));
  }
}
