// Ids that a process assigned, as handles that name its run: an id of a process that has ended, or of another process
// of the server, must not reach one that assigned the same id again, such as a server that counts.

import { RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { filterFacts, idParameter, idsAt, idsOf, withHandle } from '../../mcp/extensions/assigned-ids.ts';
import { idsEndWithProcess, isOfExtension, typeOf } from '../../mcp/extensions/extension.ts';
import { readHandle } from '../../mcp/handles.ts';
import { isOfMcp, methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams } from '../../mcp/protocol-errors.ts';
import type { Params, Result, Service } from '../../mcp/service.ts';

/** The requests and watches of the service of one process run. */
export function withRunIds(service: Service, run: string): Pick<Service, 'request' | 'watch'> {
  return {
    request(method, params, caller) {
      const isTask = params.task !== undefined;
      const isPlain = isOfMcp(method) && !isTask && caller.client.capabilities.extensions === undefined;
      if (isPlain) return service.request(method, params, caller);
      const renamed = (result: Result) => named(run, method, isTask ? withType(result) : result);
      const own = ownParams(run, method, params);
      if (own instanceof RpcError) return Promise.reject(own);
      const result = service.request(method, own, caller);
      return result instanceof Promise ? result.then(renamed) : renamed(result);
    },
    watch(watcher) {
      const { further } = watcher.filter;
      const own = further && { ...further, ...idsAt(run, ending(further)) };
      return service.watch({
        filter: own ? { ...watcher.filter, further: own } : watcher.filter,
        client: watcher.client,
        accepted: (members) => watcher.accepted?.({ ...members, ...idsOf(run, ending(members)) }),
        notified: (method, params) => watcher.notified(method, named(run, method, params)),
        ended: () => watcher.ended?.(),
        ...(watcher.turn && { turn: (send) => watcher.turn!(send) }),
      });
    },
  };
}

function named<T extends Params | undefined>(run: string, method: string, given: T): T {
  const { extension } = (given && isOfExtension(given) ? typeOf(given) : methodsOfMcp.get(method)) ?? {};
  return idsEndWithProcess(extension) ? withHandle(run, method, given) : given;
}

/** The members of a filter with ids that end with their process. */
function ending(filter: Readonly<Params>): Params {
  return Object.fromEntries(Object.entries(filter).filter(([name]) => idsEndWithProcess(filterFacts(name)?.extension)));
}

/** 2025-11-25: the answer to a call with `task`, which has no type in that revision. */
function withType(result: Result): Result {
  return isObject(result) && isObject(result.task) ? { resultType: 'task', ...result } : result;
}

function ownParams(run: string, method: string, params: Params): Params | RpcError {
  const member = idsEndWithProcess(methodsOfMcp.get(method)?.extension) ? idParameter(method) : undefined;
  const given = member === undefined ? undefined : readHandle(params[member]);
  if (!given) return params;
  if (given.owner === run) return { ...params, [member!]: given.id };
  return invalidParams(`Unknown ${member}: the process of the server that assigned it has ended`);
}
