// Ids that a server assigned, in results, notifications and filters of extensions. A host that serves several servers as one turns
// them into handles, which name the server.

import { handle, readHandle } from '../handles.ts';
import { methodsOfMcp } from '../methods.ts';
import type { Params } from '../service.ts';
import { isOfExtension, typeOf } from './extension.ts';

/**
 * Replaces ids that a server assigned with handles, by which a later request finds that server. `given` is a result of the
 * method, or the parameters of a notification or of a question that a request of this method caused.
 */
export function withHandle<T extends Params | undefined>(owner: string, method: string, given: T): T {
  const type = given && isOfExtension(given) ? typeOf(given) : undefined;
  const { withIds } = type ?? methodsOfMcp.get(method) ?? {};
  if (given && withIds) return withIds(given, (id) => handle(owner, id)) as T;
  const member = given && isOfExtension(given) ? type?.id : idParameter(method);
  const id = member === undefined ? undefined : given?.[member];
  return typeof id === 'string' ? { ...given, [member!]: handle(owner, id) } : given;
}

/** The parameter of a method of an extension that holds an id which a server assigned. */
export function idParameter(method: string): string | undefined {
  const facts = methodsOfMcp.get(method);
  return facts?.extension === undefined || facts.target?.list ? undefined : facts.target?.parameter;
}

type Members = Readonly<Record<string, unknown>>;

/** Members of a filter of `subscriptions/listen` with the ids that this owner assigned; undefined if there are none. */
export function idsAt(owner: string, filter: Members): Members | undefined {
  return changedIds(filter, (id) => {
    const known = readHandle(id);
    return known?.owner === owner ? known.id : undefined;
  });
}

/** Members of a filter with ids that this owner assigned, as handles. */
export function idsOf(owner: string, filter: Members): Members | undefined {
  return changedIds(filter, (id) => (typeof id === 'string' ? handle(owner, id) : undefined));
}

/** Describes a member of a filter: the extension that defines it, and whether it holds ids. Undefined for an unknown member. */
export function filterFacts(member: string): { extension: string | undefined; hasIds: boolean } | undefined {
  for (const { filter, extension, target } of methodsOfMcp.values()) {
    if (filter === member)
      return { extension, hasIds: extension !== undefined && target !== undefined && !target.list };
  }
  return undefined;
}

function changedIds(filter: Members, change: (id: unknown) => string | undefined): Members | undefined {
  const changed = Object.entries(filter).flatMap(([member, value]) => {
    const ids = filterFacts(member)?.hasIds && Array.isArray(value) ? value.flatMap((id) => change(id) ?? []) : [];
    return ids.length > 0 ? [[member, ids]] : [];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
