// Extensions of the servers that a merged service has: their declarations together, and which server a request of an extension goes to.

import { declaresUnknown, filterFacts, idsAt, idsOf, withHandle } from '../../mcp/extensions/extension.ts';
import { readHandle } from '../../mcp/handles.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Params, Result } from '../../mcp/service.ts';
import type { ServerCapabilities } from '../../mcp/types.ts';
import type { ListedServer } from './listed-server.ts';
import type { MergedLists } from './merged-lists.ts';
import type { HostCaller } from './process-service.ts';

/** The extensions of all servers whose facts are known: those that have been running. */
export function declaredTogether(lists: MergedLists): Pick<ServerCapabilities, 'extensions' | 'experimental'> {
  const extensions: Record<string, object> = {};
  const experimental: Record<string, object> = {};
  for (const { capabilities } of lists.all.flatMap(factsNow)) {
    for (const [id, settings] of Object.entries(capabilities.extensions ?? {})) extensions[id] ??= settings;
    for (const [id, settings] of Object.entries(capabilities.experimental ?? {})) experimental[id] ??= settings;
  }
  return {
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(Object.keys(experimental).length > 0 && { experimental }),
  };
}

/** A request that names its target goes to the server that assigned the name. Any other goes to the only server that can mean it. */
export function requestOfExtension(
  lists: MergedLists,
  method: string,
  params: Params,
  caller: HostCaller,
): Result | Promise<Result> {
  const { target, extension } = methodsOfMcp.get(method) ?? {};
  const given = target && readHandle(params[target.parameter]);
  const to = target ? lists.all.find(({ server }) => server === given?.owner) : onlyOne(lists, extension);
  if (!to && target) throw invalidParams(`Unknown ${target.parameter}: it is not one that this server has given`);
  if (!to || (!extension && lists.limitsTools)) throw methodNotFound(method, 'choose a server first');
  const own = target ? { ...params, [target.parameter]: given!.id } : params;
  const result = to.member.service.request(method, own, caller);
  const named = (settled: Result) => withHandle(to.server, method, settled);
  return result instanceof Promise ? result.then(named) : named(result);
}

/** The members of a filter that concern one of the servers, with its own ids; undefined if none does. */
export function furtherAt(lists: MergedLists, at: ListedServer, further: Params = {}): Params | undefined {
  const others = Object.entries(further).filter(([member]) => {
    const facts = filterFacts(member);
    return facts === undefined ? onlyOne(lists, undefined) === at : !facts.hasIds && declares(at, facts.extension);
  });
  const found = { ...idsAt(at.server, further), ...Object.fromEntries(others) };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** What one server agreed to, with what others have agreed to before. */
export function acceptedBy(server: string, members: Params, before: Params): Params {
  const own = { ...members, ...idsOf(server, members) };
  const together = Object.entries(own).map(([member, value]) => {
    const known = before[member];
    return [member, Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value];
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

/** Nothing for a server that has not run yet: to ask would start it. */
function factsNow({ member }: ListedServer) {
  const facts = member.client && member.service.describe();
  if (facts instanceof Promise) facts.catch(() => undefined);
  return facts === undefined || facts instanceof Promise ? [] : [facts];
}
