// A layer that hides tools: a tool that is not allowed is neither listed nor called, and neither are the resources that belong to it listed,
// read or watched.

import { isObject } from '../../base/json-object.ts';
import { isLinked } from '../extensions/extension.ts';
import { linksOf, listedTools } from '../extensions/linked-uris.ts';
import { type ListFacts, methodsOfMcp } from '../methods.ts';
import { invalidParams, resourceNotFound } from '../protocol-errors.ts';
import { type ClientFacts, type Params, type Result, type Service, silentCaller } from '../service.ts';
import type { ServiceLayer } from './layer.ts';

export interface ToolPolicy {
  /** `tool` is the name that a client sent, which may be of any type. */
  mayUse(tool: unknown): boolean;
  /** `tool` is the name in a list of a server, which may be of any type. Default: `mayUse`. */
  mayList?(tool: unknown): boolean;
  /** The error for a call of a tool that may not be used. */
  refusal(tool: unknown): Error;
  /** The error for a request that could run a tool by another method. */
  refusalOf(method: string): Error | undefined;
  /** Whether at least one tool is refused. Default: true. */
  isLimited?(): boolean;
  /** All tools, of which some may not be used. Default: they are listed. */
  tools?: Service['tools'] | undefined;
}

export function allowTools(policy: ToolPolicy): ServiceLayer {
  const { mayUse, mayList = mayUse, refusal, refusalOf, isLimited = () => true } = policy;
  return (next) => (method, params, caller) => {
    const refused = refusalOf(method);
    if (refused) return Promise.reject(refused);
    const { target, list } = methodsOfMcp.get(method) ?? {};
    const named = target && params[target.parameter];
    if (target?.list === 'tools' && !mayUse(named)) return Promise.reject(refusal(named));
    const { client } = caller;
    const tools = () => policy.tools?.(client) ?? listedTools(next, caller);
    const mayBeHidden = (target?.list ?? list?.kind) === 'resources' && isLimited();
    const completed = isLimited() ? completedUri(method, params) : undefined;
    if ((mayBeHidden && target) || completed !== undefined) {
      const uri = completed ?? named;
      // A server may accept an array with one URI as the URI.
      if (typeof uri !== 'string') return Promise.reject(invalidParams(`${method} needs a "uri", a string`));
      const checked = checkLinks([uri], client, tools, mayUse);
      if (checked) return checked.then(() => next(method, params, caller));
    }
    const result = next(method, params, caller);
    if (!list || (list.kind !== 'tools' && !mayBeHidden)) return result;
    const allowed = (page: Result) => allowedOf(page, list, mayList, () => usableLinks(tools, mayUse));
    return result instanceof Promise ? result.then(allowed) : allowed(result);
  };
}

/** The template of `completion/complete`, which may be of any type. Undefined for a prompt, and for other methods. */
export function completedUri(method: string, { ref }: Params): unknown {
  return method === 'completion/complete' && isObject(ref) && ref.type !== 'ref/prompt' ? ref.uri : undefined;
}

/** `watch` of a service with such a layer: a resource whose tools may not be used cannot be watched either. */
export function allowedWatch(
  service: Pick<Service, 'request' | 'watch'>,
  { tools, mayUse, isLimited }: ToolPolicy,
): Service['watch'] {
  return async (watcher) => {
    const { client, filter } = watcher;
    if (client && (isLimited?.() ?? true)) {
      const all = () =>
        tools?.(client) ?? listedTools((...request) => service.request(...request), silentCaller(client));
      await checkLinks(filter.resourceSubscriptions ?? [], client, all, mayUse);
    }
    return service.watch(watcher);
  };
}

type Tools = () => ReturnType<NonNullable<Service['tools']>>;

/** Rejects if a resource belongs to tools of which none may be used. Undefined if none of the resources belongs to tools. */
export function checkLinks(
  uris: readonly string[],
  { revision }: ClientFacts,
  tools: Tools,
  mayUse: ToolPolicy['mayUse'],
): Promise<void> | undefined {
  const linked = uris.filter(isLinked);
  if (linked.length === 0) return undefined;
  return usableLinks(tools, mayUse).then((usable) => {
    const hidden = linked.find((uri) => !usable.has(uri));
    if (hidden !== undefined) throw resourceNotFound(hidden, revision);
  });
}

async function usableLinks(tools: Tools, mayUse: ToolPolicy['mayUse']): Promise<ReadonlySet<string>> {
  return linksOf((await tools()).filter(({ name }) => mayUse(name)));
}

function allowedOf(
  page: Result,
  { member, nameKey, kind }: ListFacts,
  mayList: ToolPolicy['mayUse'],
  links: () => Promise<ReadonlySet<string>>,
): Result | Promise<Result> {
  const entries: unknown = page[member];
  if (!Array.isArray(entries)) return page;
  const keep = (mayKeep: (name: unknown) => boolean): Result => {
    const allowed = entries.filter((entry) => mayKeep(entry?.[nameKey]));
    return allowed.length === entries.length ? page : { ...page, [member]: allowed };
  };
  if (kind === 'tools') return keep(mayList);
  const isHideable = (name: unknown): name is string => typeof name === 'string' && isLinked(name);
  if (!entries.some((entry) => isHideable(entry?.[nameKey]))) return page;
  return links().then((usable) => keep((name) => !isHideable(name) || usable.has(name)));
}
