// All servers of a host as one service. Names are the addresses of the catalogue: a name alone where only one server has it,
// `server/name` where several do; the same for prompts, and for URIs of resources and templates. A server that fails does not
// affect the lists of the others: it is named in the `_meta` of the list.

import { describeError } from '../../base/error-json.ts';
import { RpcCode, RpcError, type UsageError } from '../../base/errors.ts';
import { type ListName, listByMethod, mcpLists } from '../../mcp/lists.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { Caller, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { CompletionReference, Meta } from '../../mcp/types.ts';
import { UriTemplate } from '../../mcp/uri-template.ts';
import type { Member } from '../member.ts';
import { type Entry, FAILED, OFFERED_BY, type Offer, READY_ONLY, readCatalog, resolve } from './catalog.ts';
import { unknownServer } from './unknown-name.ts';
import { keepWatch, notifyOfLists } from './watches.ts';

const facts: ServiceFacts = {
  info: ownInfo,
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    logging: {},
  },
};

export class MergedService implements Service {
  readonly #members: () => readonly Member[];
  readonly #rights: Rights | undefined;
  /** Also those of restricted ones. */
  readonly #watches: Set<MergedWatch>;

  constructor(members: () => readonly Member[], rights?: Rights, watches = new Set<MergedWatch>()) {
    this.#members = rights ? () => members().filter(({ config }) => rights.mayUseServer(config.name)) : members;
    this.#rights = rights;
    this.#watches = watches;
  }

  /** As if there were no other servers and tools, also for the names. */
  restrictedTo(rights: Rights): MergedService {
    return new MergedService(this.#members, rights, this.#watches);
  }

  /** Independent of which servers run: it waits for none. */
  describe(): ServiceFacts {
    return facts;
  }

  async request(method: string, params: Params, caller: Caller): Promise<Result> {
    const list = listByMethod.get(method);
    if (list) return this.#list(list.member, params);
    switch (method) {
      case 'tools/call':
        return this.#pass(await this.#find('tools', params.name), method, caller, (name) => ({ ...params, name }));
      case 'prompts/get':
        return this.#pass(await this.#find('prompts', params.name), method, caller, (name) => ({ ...params, name }));
      case 'resources/read':
        return this.#pass(await this.#findUri(params.uri), method, caller, (uri) => ({ ...params, uri }));
      case 'completion/complete':
        return this.#complete(params, caller);
      default:
        throw methodNotFound(method, 'choose a server first');
    }
  }

  notify(): void {
    // it says something about one client, and the servers are shared by all
  }

  async watch(watcher: Watcher): Promise<() => void> {
    const uris = await Promise.all((watcher.filter.resourceSubscriptions ?? []).map((uri) => this.#located(uri)));
    const watch = new MergedWatch(watcher, this.#members, uris);
    return keepWatch(this.#watches, watch, () => watch.followAll());
  }

  /** The servers of the host are others now. */
  changed(): void {
    for (const watch of this.#watches) {
      watch.followAll().catch(() => undefined); // lists are never refused
      watch.notifyLists();
    }
  }

  async #list(name: ListName, { _meta }: Params): Promise<Result> {
    const readyOnly = (_meta as Meta | undefined)?.[READY_ONLY] === true;
    const { offers, failed } = await readCatalog(this.#members(), name, readyOnly, this.#rights);
    const result = { [name]: offers.map((offer) => addressed(offer, mcpLists[name].nameKey)) };
    if (failed.length === 0) return result;
    const described = failed.map(({ server, error }) => ({ server, error: describeError(error) }));
    return { ...result, _meta: { [FAILED]: described } };
  }

  async #find(name: ListName, address: unknown): Promise<Offer<Entry>> {
    const { offers } = await readCatalog(this.#members(), name, false, this.#rights);
    return resolved(offers, String(address), mcpLists[name].what);
  }

  /** A resource need not be listed: a template that fits, or the name of its server before it, says who has it. */
  async #findUri(given: unknown): Promise<Pick<Offer<Entry>, 'server' | 'name'>> {
    const uri = String(given);
    const members = this.#members();
    const { offers } = await readCatalog(members, 'resources', false);
    if (offers.some(({ server, name }) => name === uri || `${server}/${name}` === uri)) {
      return resolved(offers, uri, 'resource');
    }
    const named = members.find(({ config: { name } }) => uri.startsWith(`${name}/`))?.config.name;
    if (named !== undefined) return { server: named, name: uri.slice(named.length + 1) };
    const templates = (await readCatalog(members, 'resourceTemplates', false)).offers;
    const fitting = templates.find(({ name }) => fits(uri, name));
    return fitting ? { server: fitting.server, name: uri } : resolved(offers, uri, 'resource');
  }

  async #located(address: string): Promise<LocatedUri> {
    const { server, name } = await this.#findUri(address);
    return { address, server, uri: name };
  }

  async #complete(params: Params, caller: Caller): Promise<Result> {
    const ref = params.ref as CompletionReference;
    if (ref?.type === 'ref/prompt') {
      const found = await this.#find('prompts', ref.name);
      return this.#pass(found, 'completion/complete', caller, (name) => ({ ...params, ref: { ...ref, name } }));
    }
    const found = await this.#find('resourceTemplates', ref?.uri);
    return this.#pass(found, 'completion/complete', caller, (uri) => ({ ...params, ref: { ...ref, uri } }));
  }

  async #pass(
    { server, name }: Pick<Offer<Entry>, 'server' | 'name'>,
    method: string,
    caller: Caller,
    paramsFor: (name: string) => Params,
  ): Promise<Result> {
    const members = this.#members();
    const member = members.find(({ config }) => config.name === server);
    // Its entry was removed while the servers were asked who has the name.
    if (!member)
      throw unknownServer(
        server,
        members.map(({ config }) => config.name),
        [],
      );
    return member.service.request(method, paramsFor(name), caller);
  }
}

/** A server may list many templates, and all are tried. */
const LONGEST_TEMPLATE = 1024;
const LONGEST_URI = 1024;

function fits(uri: string, template: string): boolean {
  if (uri.length > LONGEST_URI || template.length > LONGEST_TEMPLATE) return false;
  return new UriTemplate(template).match(uri) !== undefined;
}

interface LocatedUri {
  /** As the watcher wrote it. */
  address: string;
  server: string;
  uri: string;
}

/** One watcher of all servers, also of those that are added later. */
class MergedWatch {
  readonly #watcher: Watcher;
  readonly #members: () => readonly Member[];
  readonly #uris: readonly LocatedUri[];
  /** With what stops each watch, once it has begun. */
  readonly #followed = new Map<Member, (() => void) | undefined>();
  #stopped = false;

  constructor(watcher: Watcher, members: () => readonly Member[], uris: readonly LocatedUri[]) {
    this.#watcher = watcher;
    this.#members = members;
    this.#uris = uris;
  }

  followAll(): Promise<unknown> {
    return Promise.all(this.#members().map((member) => this.#follow(member)));
  }

  async #follow(member: Member): Promise<void> {
    if (this.#followed.has(member)) return;
    this.#followed.set(member, undefined);
    const own = this.#uris.filter(({ server }) => server === member.config.name);
    const filter = { ...this.#watcher.filter, resourceSubscriptions: own.map(({ uri }) => uri) };
    try {
      const stop = await member.service.watch({
        filter,
        notified: (method, params) => this.#watcher.notified(method, params && addressedUpdate(params, own)),
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

  stop(): void {
    this.#stopped = true;
    for (const stop of this.#followed.values()) stop?.();
    this.#followed.clear();
  }
}

/** A name that no server has, or several, is refused as a server would refuse it. */
function resolved(offers: readonly Offer<Entry>[], address: string, what: string): Offer<Entry> {
  try {
    return resolve(offers, address, what);
  } catch (error) {
    const { message, hint } = error as UsageError;
    throw new RpcError(RpcCode.invalidParams, message, undefined, { hint, cause: error });
  }
}

function addressed({ definition, server, name, address, sharedWith }: Offer<Entry>, key: string): Entry {
  const _meta = { ...definition._meta, [OFFERED_BY]: { server, name, sharedWith } };
  return { ...definition, [key]: address, _meta };
}

/** An update names the resource by its URI; the watcher knows it by its address. */
function addressedUpdate(params: Params, own: readonly LocatedUri[]): Params {
  const located = own.find(({ uri }) => uri === params.uri);
  return located && located.address !== located.uri ? { ...params, uri: located.address } : params;
}
