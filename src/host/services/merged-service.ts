// All servers of a host merged into one service. Tools, prompts and resources are named as described under "Names" in
// docs/gateway.md. A server that fails or starts slowly does not affect the others: it is named in the `_meta` of a list, in a log
// message and in the instructions.

import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/error-json.ts';
import { within } from '../../base/wait.ts';
import { isOfExtension, withHandle } from '../../mcp/extensions/extension.ts';
import { isOfMcp, type ListName, listMethods, methodsOfMcp } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { ClientFacts, ClientIdentity, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { CompletionReference, Meta, ServerCapabilities, Tool } from '../../mcp/types.ts';
import type { HostMember } from '../hosted-server.ts';
import { isAway, type StateChange } from '../supervision/server-state.ts';
import { FAILED, OFFERED_BY, type Offer, WAIT } from './catalog.ts';
import { listedName, listedUri } from './listed-names.ts';
import type { ListedEntry } from './listed-server.ts';
import { declaredTogether, requestOfExtension } from './merged-extensions.ts';
import { type ListWait, MergedLists } from './merged-lists.ts';
import { MergedWatch, type WatchedUri } from './merged-watch.ts';
import type { HostCaller } from './process-service.ts';
import { withContentUris, withLinkUris } from './resource-links.ts';
import { type ListedRoute, Routes } from './routes.ts';
import { keepWatch } from './watches.ts';

/** Limit per server: instructions go into the context of a model. */
const MOST_INSTRUCTIONS_CHARS = 20_000;

const capabilities: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** How long a subscription waits for a server whose resources it does not include. */
const WATCH_WAIT_MS = 10_000;

export class MergedService implements Service {
  readonly lists: MergedLists;
  readonly #routes: Routes;
  readonly #clock: Clock;
  /** Shared with the restricted services. */
  readonly #watches: Set<MergedWatch>;

  private constructor(lists: MergedLists, clock: Clock, watches: Set<MergedWatch>) {
    this.lists = lists;
    this.#clock = clock;
    this.#watches = watches;
    this.#routes = new Routes(lists);
  }

  static of(members: () => readonly HostMember[], clock: Clock): MergedService {
    const watches = new Set<MergedWatch>();
    const lists = MergedLists.of(members, clock, ({ config }, kind) => {
      for (const watch of watches) if (watch.sees(config.name)) watch.listChanged(kind);
    });
    return new MergedService(lists, clock, watches);
  }

  restrictedTo(rights: Rights): MergedService {
    return new MergedService(this.lists.restrictedTo(rights), this.#clock, this.#watches);
  }

  /** Does not wait for any server. */
  describe(): ServiceFacts {
    const declared = { ...capabilities, ...declaredTogether(this.lists) };
    return { info: ownInfo, capabilities: declared, instructions: instructionsOf(this.#members) };
  }

  request(method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    try {
      return this.#request(method, params, caller);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #request(method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    const { target, list } = methodsOfMcp.get(method) ?? {};
    if (target?.list === 'resources') {
      return this.#onRoute(this.#routes.ofUri(params.uri, caller.client.revision), method, params, caller);
    }
    if (target?.list) return this.#onRoute(this.#routes.named(target.list, params.name), method, params, caller);
    if (list) return this.#list(list.member, params, caller);
    if (!isOfMcp(method)) return requestOfExtension(this.lists, method, params, caller);
    if (method !== 'completion/complete') throw methodNotFound(method, 'choose a server first');
    return this.#onRoute(this.#referred(params.ref as CompletionReference), method, params, caller);
  }

  /** Undefined if the tool is unknown; the call then reports why. */
  tool(name: string, client: ClientFacts): Tool | undefined | Promise<Tool | undefined> {
    const entry = ({ lists: { server, member }, own }: ListedRoute) =>
      this.lists.mayUseTool(server, own) ? member.service.tool?.(own, client) : undefined;
    try {
      const route = this.#routes.named('tools', name);
      return route instanceof Promise ? route.then(entry, () => undefined) : entry(route);
    } catch {
      return undefined;
    }
  }

  notify(): void {
    // a notification concerns one client, and the servers are shared by all
  }

  async watch(watcher: Watcher): Promise<() => void> {
    const uris = await Promise.all((watcher.filter.resourceSubscriptions ?? []).map((uri) => this.#located(uri)));
    const watch = new MergedWatch(watcher, this.lists, uris);
    return keepWatch(this.#watches, watch, () =>
      Promise.all(this.#members.map((member) => this.#begin(watch, member))),
    );
  }

  gone(client: ClientIdentity): void {
    for (const { member } of this.lists.all) member.service.gone?.(client);
  }

  /** Called when servers of the host were added, removed or changed. */
  changed(): void {
    this.lists.changed();
    for (const watch of this.#watches) {
      watch.followAll();
      watch.notifyLists();
    }
  }

  /**
   * A server that has failed or was stopped is missing from the lists from now on. A server that is ready is watched again, even if
   * its previous process refused or ended the subscription.
   */
  stateChanged({ server, owner, to, reason }: StateChange): void {
    if (owner !== undefined) return; // the process of one client does not affect the lists
    const lists = this.lists.all.find((each) => each.server === server);
    if (!lists || (to !== 'ready' && !((isAway(to) || to === 'stopped') && lists.isMissing))) return;
    for (const watch of this.#watches) {
      if (!watch.sees(server)) continue;
      if (to === 'ready') {
        watch.followAgain(lists.member);
        continue;
      }
      watch.notifyLists();
      if (isAway(to)) watch.log('error', `Server "${server}" is not available: ${reason}`);
    }
  }

  get #members(): readonly HostMember[] {
    return this.lists.all.map(({ member }) => member);
  }

  /** Waits without a limit only if the watcher subscribes to resources of the server. Watching its lists may begin later. */
  async #begin(watch: MergedWatch, member: HostMember): Promise<void> {
    const begun = watch.follow(member);
    if (watch.needs(member)) return begun;
    const settled = begun.catch(() => undefined); // its lists are read each time, because changes are not announced
    await within(this.#clock, WATCH_WAIT_MS, settled);
  }

  async #list(list: ListName, { _meta, cursor }: Params, caller: HostCaller): Promise<Result> {
    if (cursor !== undefined) throw invalidParams('Unknown cursor: the list of all servers has one page');
    const wait = ((_meta as Meta | undefined)?.[WAIT] as ListWait | undefined) ?? 'limited';
    const { offers, failed } = await this.lists.read(list, wait, caller.options?.timeoutMs);
    const result = { [list]: offers.map((offer) => listed(offer, list, this.lists.partOf(offer.server))) };
    if (failed.length === 0) return result;
    const described = failed.map(({ server, error }) => ({ server, error: describedFor(caller, error) }));
    return { ...result, _meta: { [FAILED]: described } };
  }

  #referred(ref: CompletionReference | undefined): ListedRoute | Promise<ListedRoute> {
    return ref?.type === 'ref/prompt' ? this.#routes.named('prompts', ref.name) : this.#routes.ofTemplate(ref?.uri);
  }

  async #located(address: string): Promise<WatchedUri> {
    const { lists, own } = await this.#routes.ofUri(address, NEWEST_MODERN);
    return { address, server: lists.server, uri: own };
  }

  #onRoute(route: ListedRoute | Promise<ListedRoute>, method: string, params: Params, caller: HostCaller) {
    return route instanceof Promise
      ? route.then((found) => this.#send(found, method, params, caller))
      : this.#send(route, method, params, caller);
  }

  #send(route: ListedRoute, method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    const { member, server } = route.lists;
    if (member.isRemoved) throw this.lists.noServer(server); // removed meanwhile
    if (method === 'tools/call' && !this.lists.mayUseTool(server, route.own)) {
      throw invalidParams(`Unknown tool: ${JSON.stringify(params.name)}`);
    }
    const result = member.service.request(method, ownParams(method, params, route.own), caller);
    const isPlain = caller.client.capabilities.extensions === undefined;
    const hasUris = method === 'resources/read' ? params.uri !== route.own : route.lists.mayLink;
    if (isPlain && !hasUris) return result;
    const readable = (settled: Result) => {
      if (isOfExtension(settled)) return withHandle(server, method, settled);
      return hasUris ? this.#readable(settled, method, params, route) : settled;
    };
    return result instanceof Promise ? result.then(readable) : readable(result);
  }

  /** Rewrites URIs in the result so that the client can use them. */
  #readable(result: Result, method: string, params: Params, { lists, own }: ListedRoute): Result {
    const { server } = lists;
    if (method === 'resources/read') {
      return withContentUris(result, (uri) => (uri === own ? String(params.uri) : listedUri(server, uri)));
    }
    return withLinkUris(result, (uri) => {
      const isOwn = /^https?:/i.test(uri) || this.#isOnlyOf(lists.member, uri);
      return isOwn ? uri : listedUri(server, uri);
    });
  }

  #isOnlyOf(member: HostMember, uri: string): boolean {
    const owners = this.lists.all.filter((lists) => lists.last('resources').has(uri));
    return owners.length === 1 && owners[0]!.member === member;
  }
}

function ownParams(method: string, params: Params, own: string): Params {
  if (method === 'resources/read') return params.uri === own ? params : { ...params, uri: own };
  if (method !== 'completion/complete') return { ...params, name: own };
  const ref = params.ref as CompletionReference;
  return { ...params, ref: ref.type === 'ref/prompt' ? { ...ref, name: own } : { ...ref, uri: own } };
}

function listed(
  { definition, server, name, sharedWith }: Offer<ListedEntry>,
  list: ListName,
  part: string,
): ListedEntry {
  const { nameKey } = listMethods[list];
  const shown = nameKey === 'name' ? listedName(part, name) : sharedWith.length > 0 ? listedUri(server, name) : name;
  const _meta = { ...definition._meta, [OFFERED_BY]: { server, name, sharedWith } };
  return { ...definition, [nameKey]: shown, _meta };
}

/** Hints and evidence quote the command, its output and its environment, so only the owner gets them. */
function describedFor({ isOwner }: HostCaller, error: Error): object {
  const { hint, evidence, ...described } = describeError(error);
  return isOwner ? { ...described, hint, evidence } : described;
}

/**
 * The instructions of the merged service: how names are built, which servers are unavailable, and the instructions of
 * servers that have been connected.
 */
function instructionsOf(members: readonly HostMember[]): string {
  const names = members.filter(({ config }) => config.enabled).map(({ config }) => config.name);
  const parts = [
    `Tools and prompts of several servers: each name begins with its server, as in server__name. Servers: ${names.join(', ') || 'none'}.`,
  ];
  for (const { config, supervised, client } of members) {
    if (isAway(supervised.state)) parts.push(`Server "${config.name}" is not available: ${supervised.status.reason}`);
    const own = client?.server.instructions;
    if (own) parts.push(`Server "${config.name}": ${own.slice(0, MOST_INSTRUCTIONS_CHARS)}`);
  }
  return parts.join('\n\n');
}
