// Extensions in a merged service: the declarations of all servers, and the server of a request.

import type { Cancellable } from '../../base/cancel-signal.ts';
import { describeError } from '../../base/error-json.ts';
import { toError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { readAllPages } from '../../mcp/client/pages.ts';
import { filterFacts, idsAt, idsOf, withHandle } from '../../mcp/extensions/assigned-ids.ts';
import { declaresUnknown, idInMessage } from '../../mcp/extensions/extension.ts';
import { handle, readHandle } from '../../mcp/handles.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import { type Params, type Result, silentCaller } from '../../mcp/service.ts';
import type { InputRequest, InputResponse, ServerCapabilities } from '../../mcp/types.ts';
import { FAILED } from './catalog.ts';
import { listedUri } from './listed-names.ts';
import type { ListedServer, MergedLists } from './merged-lists.ts';
import { PassedCaller } from './passed-caller.ts';
import type { HostCaller } from './process-service.ts';

/** Limits of the list of one server. */
const LIMITS = { maxPages: 100, maxItems: 10_000, maxListBytes: 16 * 1024 * 1024 };

/** The extensions of all servers that have been running. */
export function declaredTogether(lists: MergedLists): Pick<ServerCapabilities, 'extensions' | 'experimental'> {
  const extensions: Record<string, object> = {};
  const experimental: Record<string, object> = {};
  for (const { capabilities } of lists.all.flatMap(factsNow)) {
    for (const [id, settings] of Object.entries(capabilities.extensions ?? {}))
      extensions[id] = joined(extensions[id], settings);
    for (const [id, settings] of Object.entries(capabilities.experimental ?? {}))
      experimental[id] = joined(experimental[id], settings);
  }
  return {
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(Object.keys(experimental).length > 0 && { experimental }),
  };
}

/** Merges the settings of an extension. Servers may declare any value as settings. */
function joined(one: object | undefined, other: object): object {
  return one !== undefined && isObject(one) && isObject(other) ? { ...other, ...one } : (one ?? other);
}

/** A request that names its target goes to the server that assigned the name, any other to the only server that declares the extension. */
export function requestOfExtension(
  lists: MergedLists,
  method: string,
  params: Params,
  caller: HostCaller,
): Result | Promise<Result> {
  const { target, extension, withIds, asks } = methodsOfMcp.get(method) ?? {};
  const given = target && readHandle(params[target.parameter]);
  const to = target ? lists.all.find(({ server }) => server === given?.owner) : onlyOne(lists, extension);
  if (!to && target) throw invalidParams(`Unknown ${target.parameter}: this server did not assign it`);
  if (!to || (!extension && lists.limitsTools)) throw methodNotFound(method, 'choose a server first');
  const own = target ? { ...params, [target.parameter]: given!.id } : params;
  const asker =
    withIds && asks ? new HandleCaller(caller, (question) => withHandle(to.server, method, question)) : caller;
  const result = to.member.service.request(method, own, asker);
  const named = (settled: Result) => withHandle(to.server, method, settled);
  return result instanceof Promise ? result.then(named) : named(result);
}

/** The caller of a request whose progress may name an id of the server. */
export function namingIds(caller: HostCaller, server: string): HostCaller {
  return new HandleCaller(caller, (message) => {
    const named = idInMessage(message);
    return named ? (named.withId(message, handle(server, named.id)) as Params) : message;
  });
}

/** A caller whose questions and progress name ids of a server. */
class HandleCaller extends PassedCaller implements HostCaller {
  readonly isOwner: HostCaller['isOwner'];
  readonly unanswered: HostCaller['unanswered'];
  readonly #named: (message: Params) => Params;

  constructor(caller: HostCaller, named: (message: Params) => Params) {
    super(caller);
    this.isOwner = caller.isOwner;
    this.unanswered = caller.unanswered;
    this.#named = named;
  }

  override progress(params: Params): void {
    super.progress(this.#named(params));
  }

  override ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return super.ask({ ...question, params: this.#named(question.params as Params) } as InputRequest, name, signal);
  }
}

/** The entries of all servers that declare the extension. A server that cannot be asked is named in `_meta`, as in other lists. */
export async function mergedEntries(
  lists: MergedLists,
  method: string,
  { cursor }: Params,
  caller: HostCaller,
): Promise<Result> {
  if (cursor !== undefined) throw invalidParams('Unknown cursor: the list of all servers has one page');
  const { extension, merges, withUris } = methodsOfMcp.get(method)!;
  const { member, nameKey } = merges!;
  const servers = lists.all.filter((each) => declares(each, extension));
  if (servers.length === 0) throw methodNotFound(method, 'no running server has it');
  const failed: { server: string; error: object }[] = [];
  const ask = async (each: ListedServer, stop: Cancellable) => {
    const reading = silentCaller(caller.client, stop);
    const request = (of: string, params: Params) => each.member.service.request(of, params, reading);
    const source = { server: { era: 'modern', capabilities: {} }, request } as const;
    const { items } = await readAllPages<object>(source, { method, member, nameKey }, LIMITS, () => undefined);
    const page: Params = withHandle(each.server, method, { [member]: items });
    return (withUris?.(page, (uri) => listedUri(each.server, uri)) ?? page)[member] as object[];
  };
  const inTime = async (each: ListedServer) => {
    try {
      return await lists.inTime(each, caller, (stop) => ask(each, stop));
    } catch (error) {
      failed.push({ server: each.server, error: describedFor(caller, toError(error)) });
      return [];
    }
  };
  const entries = (await Promise.all(servers.map(inTime))).flat();
  return failed.length === 0 ? { [member]: entries } : { [member]: entries, _meta: { [FAILED]: failed } };
}

/** Hints and evidence quote the command, its output and its environment, so only the owner gets them. */
export function describedFor({ isOwner }: HostCaller, error: Error): object {
  const { hint, evidence, ...described } = describeError(error);
  return isOwner ? { ...described, hint, evidence } : described;
}

/** The members of a filter for one of the servers, with its own ids. Undefined if there are none. */
export function furtherAt(lists: MergedLists, at: ListedServer, further: Params = {}): Params | undefined {
  const getsUnknown = !lists.limitsTools && onlyOne(lists, undefined) === at;
  const others = Object.entries(further).filter(([member]) => {
    const facts = filterFacts(member);
    return facts === undefined ? getsUnknown : !facts.hasIds && declares(at, facts.extension);
  });
  const found = { ...idsAt(at.server, further), ...Object.fromEntries(others) };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Merges the members that one server accepted into the members that others have accepted before. */
export function acceptedBy(server: string, members: Params, before: Params): Params {
  const own = { ...members, ...idsOf(server, members) };
  const together = Object.entries(own).map(([member, value]) => {
    const known = before[member];
    return [member, Array.isArray(known) && Array.isArray(value) ? [...new Set([...known, ...value])] : value];
  });
  return { ...before, ...Object.fromEntries(together) };
}

function declares(at: ListedServer, extension: string | undefined): boolean {
  return factsNow(at).some(({ capabilities }) =>
    extension === undefined ? declaresUnknown(capabilities) : capabilities.extensions?.[extension] !== undefined,
  );
}

function onlyOne(lists: MergedLists, extension: string | undefined): ListedServer | undefined {
  const [only, ...others] = lists.all.filter((each) => declares(each, extension));
  return others.length === 0 ? only : undefined;
}

/** Returns empty facts for a server that has not run yet: a request would start it. */
function factsNow({ member }: ListedServer) {
  const facts = member.client && member.service.describe();
  if (facts instanceof Promise) facts.catch(() => undefined);
  return facts === undefined || facts instanceof Promise ? [] : [facts];
}
