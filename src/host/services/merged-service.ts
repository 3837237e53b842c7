// All servers of a host merged into one service, with the names of "Names" in docs/gateway.md. A server that fails or starts slowly does
// not affect the others: it is named in the `_meta` of a list, in a log message and in the instructions.

import type { Clock } from '../../base/clock.ts';
import { metaOf } from '../../base/json-object.ts';
import { within } from '../../base/wait.ts';
import { withHandle } from '../../mcp/extensions/assigned-ids.ts';
import { factsFor, isOfExtension } from '../../mcp/extensions/extension.ts';
import { withLinkedUris } from '../../mcp/extensions/linked-uris.ts';
import { checkLinks, completedUri } from '../../mcp/layers/allow-tools.ts';
import { isOfMcp, type ListName, listMethods, methodsOfMcp } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { ClientFacts, ClientIdentity, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { CompletionReference, ServerCapabilities, Tool } from '../../mcp/types.ts';
import type { StepBudget } from '../../mcp/uri-template.ts';
import type { HostedServer } from '../hosted-server.ts';
import { isAway, type StateChange } from '../supervision/server-state.ts';
import { FAILED, OFFERED_BY, type Offer, WAIT } from './catalog.ts';
import { isAlwaysPrefixed, listedName, listedUri, withContentUris, withLinkUris } from './listed-names.ts';
import { declaredTogether, describedFor, mergedEntries, namingIds, requestOfExtension } from './merged-extensions.ts';
import { type ListedEntry, type ListWait, MergedLists } from './merged-lists.ts';
import { MergedWatch, type WatchedUri } from './merged-watch.ts';
import type { HostCaller } from './process-service.ts';
import { type ListedRoute, newBudget, Routes } from './routes.ts';
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
  /** The subscriptions, shared with the restricted services. */
  readonly #watches: Set<MergedWatch>;

  private constructor(lists: MergedLists, clock: Clock, watches: Set<MergedWatch>) {
    this.lists = lists;
    this.#clock = clock;
    this.#watches = watches;
    this.#routes = new Routes(lists);
  }

  static of(members: () => readonly HostedServer[], clock: Clock): MergedService {
    const watches = new Set<MergedWatch>();
    const lists = MergedLists.of(members, clock, ({ config }, kind) => {
      for (const watch of watches) if (watch.sees(config.name)) watch.listChanged(kind);
    });
    return new MergedService(lists, clock, watches);
  }

  restrictedTo(rights: Rights): MergedService {
    return new MergedService(this.lists.restrictedTo(rights), this.#clock, this.#watches);
  }

  describe(client?: ClientFacts): ServiceFacts {
    const declared = { ...capabilities, ...declaredTogether(this.lists) };
    return factsFor(client, { info: ownInfo, capabilities: declared, instructions: instructionsOf(this.#members) });
  }

  request(method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    try {
      return this.#request(method, params, caller);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #request(method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    const { target, list, merges } = methodsOfMcp.get(method) ?? {};
    if (target?.list === 'resources') {
      return this.#onRoute(this.#routes.ofUri(params.uri, caller.client.revision), method, params, caller);
    }
    if (target?.list) return this.#onRoute(this.#routes.named(target.list, params.name), method, params, caller);
    if (list) return this.#list(list.member, params, caller);
    if (merges) return mergedEntries(this.lists, method, params, caller);
    if (!isOfMcp(method)) return requestOfExtension(this.lists, method, params, caller);
    if (method !== 'completion/complete') throw methodNotFound(method, 'choose a server first');
    return this.#onRoute(this.#referred(params.ref as CompletionReference), method, params, caller);
  }

  /** Returns undefined if the tool is unknown; the call then reports why. */
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
    const steps = newBudget();
    const subscribed = watcher.filter.resourceSubscriptions ?? [];
    const uris = await Promise.all(subscribed.map((uri) => this.#located(uri, steps, watcher.client)));
    const watch = new MergedWatch(watcher, this.lists, uris);
    return keepWatch(this.#watches, watch, () =>
      Promise.all(this.#members.map((member) => this.#begin(watch, member))),
    );
  }

  gone(client: ClientIdentity): void {
    for (const { member } of this.lists.all) member.service.gone?.(client);
  }

  /** Must be called when servers of the host were added, removed or changed. */
  changed(): void {
    this.lists.changed();
    for (const watch of this.#watches) {
      watch.followAll();
      watch.notifyLists();
    }
  }

  /** Announces changed lists. A server that is ready is watched again, even if its previous process refused or ended the subscription. */
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

  get #members(): readonly HostedServer[] {
    return this.lists.all.map(({ member }) => member);
  }

  /** Waits without a limit only if the watcher subscribes to resources of the server. Subscriptions to its lists may begin later. */
  async #begin(watch: MergedWatch, member: HostedServer): Promise<void> {
    const begun = watch.follow(member);
    if (watch.needs(member)) return begun;
    const settled = begun.catch(() => undefined); // on failure, the lists of the server are read each time, because changes are not announced
    await within(this.#clock, WATCH_WAIT_MS, settled);
  }

  async #list(list: ListName, params: Params, caller: HostCaller): Promise<Result> {
    if (params.cursor !== undefined) throw invalidParams('Unknown cursor: the list of all servers has one page');
    const wait = (metaOf(params)?.[WAIT] as ListWait | undefined) ?? 'limited';
    const { offers, failed } = await this.lists.read(list, wait, caller.options?.timeoutMs);
    const services = new Map(this.lists.all.map(({ server, member }) => [server, member.service]));
    const shown = (offer: Offer<ListedEntry>) => {
      const entry = listed(offer, list, this.lists.partOf(offer.server));
      const service = list === 'tools' ? services.get(offer.server) : undefined;
      return service?.toolFor?.(entry as Tool, caller.client) ?? entry;
    };
    const result = { [list]: offers.map(shown) };
    if (failed.length === 0) return result;
    const described = failed.map(({ server, error }) => ({ server, error: describedFor(caller, error) }));
    return { ...result, _meta: { [FAILED]: described } };
  }

  #referred(ref: CompletionReference | undefined): ListedRoute | Promise<ListedRoute> {
    return ref?.type === 'ref/prompt' ? this.#routes.named('prompts', ref.name) : this.#routes.ofTemplate(ref?.uri);
  }

  async #located(address: string, steps: StepBudget, client: ClientFacts | undefined): Promise<WatchedUri> {
    const route = await this.#routes.ofUri(address, NEWEST_MODERN, steps);
    if (client) await this.#checkLink(route, client);
    const { lists, own } = route;
    return { address, server: lists.server, uri: own };
  }

  #onRoute(route: ListedRoute | Promise<ListedRoute>, method: string, params: Params, caller: HostCaller) {
    return route instanceof Promise
      ? route.then((found) => this.#send(found, method, params, caller))
      : this.#send(route, method, params, caller);
  }

  #send(route: ListedRoute, method: string, params: Params, caller: HostCaller): Result | Promise<Result> {
    const { member, server } = route.lists;
    if (member.isRemoved) throw this.lists.noServer(server); // the server was removed in the meantime
    if (method === 'tools/call' && !this.lists.mayUseTool(server, route.own)) {
      throw invalidParams(`Unknown tool: ${JSON.stringify(params.name)}`);
    }
    const own = ownParams(method, params, route.own);
    const { target, withUris } = methodsOfMcp.get(method) ?? {};
    const isResource = target?.list === 'resources' || completedUri(method, params) !== undefined;
    const checked = isResource ? this.#checkLink(route, caller.client) : undefined;
    // 2025-11-25: a call with `task` is answered with the id of a task. The progress of the call names this id.
    const following = params.task === undefined ? caller : namingIds(caller, server);
    const request = () => member.service.request(method, own, following);
    const result = checked ? checked.then(request) : request();
    const isPlain = caller.client.capabilities.extensions === undefined && params.task === undefined;
    const hasUris = withUris || (method === 'resources/read' ? params.uri !== route.own : route.lists.mayLink);
    if (isPlain && !hasUris) return result;
    const readable = (settled: Result) => {
      if (isOfExtension(settled)) return withHandle(server, method, settled);
      return hasUris ? this.#readable(settled, method, params, route) : settled;
    };
    return result instanceof Promise ? result.then(readable) : readable(result);
  }

  /** Rejects for a resource whose tools the client may not use. Undefined if the resource does not belong to tools. */
  #checkLink({ lists: { server, member }, own }: ListedRoute, client: ClientFacts): Promise<void> | undefined {
    if (!this.lists.limitsTools) return undefined;
    const mayUse = (tool: unknown) => this.lists.mayUseTool(server, tool as string);
    return checkLinks([own], client, () => member.service.tools!(client), mayUse);
  }

  /** Rewrites URIs in the result so that the client can use them. */
  #readable(result: Result, method: string, params: Params, { lists, own }: ListedRoute): Result {
    const { server } = lists;
    const { withUris = method === 'resources/read' ? withContentUris : undefined } = methodsOfMcp.get(method) ?? {};
    if (withUris) return withUris(result, (uri) => (uri === own ? String(params.uri) : listedUri(server, uri)));
    return withLinkUris(result, (uri) => {
      const isOwn = /^https?:/i.test(uri) || (!isAlwaysPrefixed(uri) && this.#isOnlyOf(lists.member, uri));
      return isOwn ? uri : listedUri(server, uri);
    });
  }

  #isOnlyOf(member: HostedServer, uri: string): boolean {
    const owners = this.lists.all.filter((lists) => lists.last('resources').has(uri));
    return owners.length === 1 && owners[0]!.member === member;
  }
}

function ownParams(method: string, params: Params, own: string): Params {
  const { target } = methodsOfMcp.get(method) ?? {};
  if (target) return params[target.parameter] === own ? params : { ...params, [target.parameter]: own };
  const ref = params.ref as CompletionReference;
  return { ...params, ref: ref.type === 'ref/prompt' ? { ...ref, name: own } : { ...ref, uri: own } };
}

function listed(
  { definition, server, name, sharedWith }: Offer<ListedEntry>,
  list: ListName,
  part: string,
): ListedEntry {
  const { nameKey } = listMethods[list];
  const isPrefixed = sharedWith.length > 0 || isAlwaysPrefixed(name);
  const shown = nameKey === 'name' ? listedName(part, name) : isPrefixed ? listedUri(server, name) : name;
  const linked = withLinkedUris(metaOf(definition), (uri) => listedUri(server, uri));
  const _meta = { ...linked, [OFFERED_BY]: { server, name, sharedWith } };
  return { ...definition, [nameKey]: shown, _meta };
}

function instructionsOf(members: readonly HostedServer[]): string {
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
