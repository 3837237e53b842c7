// A subscription of one watcher to all servers of the merged service, including servers added later.

import { metaOf } from '../../base/json-object.ts';
import { textOf } from '../../base/text-of.ts';
import { withHandle } from '../../mcp/extensions/assigned-ids.ts';
import { reaches } from '../../mcp/meta.ts';
import type { ListKind } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { Params, Watcher } from '../../mcp/service.ts';
import type { LogLevel } from '../../mcp/types.ts';
import { UriMap } from '../../mcp/uri-map.ts';
import { LOG_METHOD, UPDATED_METHOD, wantsMoreThanUpdates } from '../../mcp/watchers.ts';
import type { HostedServer } from '../hosted-server.ts';
import { acceptedBy, furtherAt } from './merged-extensions.ts';
import type { MergedLists } from './merged-lists.ts';
import { notifyOfLists, notifyWatcher } from './watches.ts';

/** `_meta` key of a log message: the server that wrote it. */
const LOGGED_BY = 'dev.standpipe/server';

export interface WatchedUri {
  /** The URI that the watcher used. It ends with the server's own URI. */
  address: string;
  server: string;
  uri: string;
}

export class MergedWatch {
  readonly #watcher: Watcher;
  readonly #lists: MergedLists;
  readonly #uris: readonly WatchedUri[];
  /** The value stops the watch; undefined until it has begun. */
  readonly #followed = new Map<HostedServer, (() => void) | undefined>();
  #accepted: Params = {};
  #stopped = false;

  /** `lists` contains the servers that the watcher may use. */
  constructor(watcher: Watcher, lists: MergedLists, uris: readonly WatchedUri[]) {
    this.#watcher = watcher;
    this.#lists = lists;
    this.#uris = uris;
  }

  /** Whether the watcher subscribes to resources or ids of this server. */
  needs(member: HostedServer): boolean {
    return this.#uris.some(({ server }) => server === member.config.name) || this.#furtherAt(member) !== undefined;
  }

  sees(server: string): boolean {
    return this.#lists.all.some((lists) => lists.server === server);
  }

  followAll(): void {
    for (const { member } of this.#lists.all) this.follow(member).catch(() => undefined); // on failure, the lists of the server are read each time
  }

  followAgain(member: HostedServer): void {
    if (this.#followed.has(member)) return; // the existing watch continues
    this.notifyLists();
    this.follow(member).catch(() => undefined);
  }

  async follow(member: HostedServer): Promise<void> {
    if (this.#followed.has(member)) return;
    const { name } = member.config;
    const { client, filter: wanted } = this.#watcher;
    if (!wantsMoreThanUpdates(wanted) && !this.needs(member)) return;
    this.#followed.set(member, undefined);
    const own = this.#addressesAt(name);
    const { further: _all, ...known } = wanted;
    const further = this.#furtherAt(member);
    const filter = { ...known, resourceSubscriptions: [...own.keys()], ...(further && { further }) };
    try {
      const stop = await member.service.watch({
        filter,
        client,
        accepted: (members) => {
          this.#accepted = acceptedBy(name, members, this.#accepted);
          this.#watcher.accepted?.(this.#accepted);
        },
        notified: (method, params) => {
          if (method === UPDATED_METHOD)
            for (const uri of addresses(params?.uri, own)) this.#notify(method, { ...params, uri });
          else this.#notify(method, method === LOG_METHOD ? loggedBy(name, params) : withHandle(name, method, params));
        },
        ended: () => this.#followed.delete(member),
      });
      if (this.#stopped) stop();
      else if (this.#followed.has(member)) this.#followed.set(member, stop);
    } catch (error) {
      this.#followed.delete(member);
      throw error;
    }
  }

  notifyLists(): void {
    notifyOfLists(this.#watcher);
  }

  listChanged(kind: ListKind): void {
    if (this.#watcher.filter[`${kind}ListChanged`]) this.#notify(`notifications/${kind}/list_changed`);
  }

  log(level: LogLevel, data: string): void {
    const { logs } = this.#watcher.filter;
    if (logs !== undefined && reaches(level, logs)) this.#notify(LOG_METHOD, { level, logger: ownInfo.name, data });
  }

  stop(): void {
    this.#stopped = true;
    for (const stop of this.#followed.values()) stop?.();
    this.#followed.clear();
  }

  /** Addresses that the watcher uses, by the server's own URIs. */
  #addressesAt(name: string): UriMap<readonly string[]> {
    const own = new UriMap<string[]>();
    for (const { server, uri, address } of this.#uris) {
      if (server !== name) continue;
      const known = own.get(uri);
      if (known) known.push(address);
      else own.set(uri, [address]);
    }
    return own;
  }

  #furtherAt(member: HostedServer): Params | undefined {
    const { further } = this.#watcher.filter;
    const lists = further && this.#lists.all.find((each) => each.member === member);
    return lists && furtherAt(this.#lists, lists, further);
  }

  #notify(method: string, params?: Params): void {
    notifyWatcher(this.#watcher, method, params);
  }
}

/** Addresses that the watcher uses for an updated resource, or a part of it. */
function addresses(given: unknown, own: UriMap<readonly string[]>): Set<string> {
  const updated = textOf(given);
  const all = new Set<string>();
  for (const [uri, known] of own.containing(updated)) {
    for (const address of known) all.add(address + updated.slice(uri.length));
  }
  return all;
}

function loggedBy(server: string, params: Params | undefined): Params {
  return { ...params, _meta: { ...metaOf(params), [LOGGED_BY]: server } };
}
