// A layer that hides tools: tools that are not allowed are neither listed nor called.

import { methodsOfMcp } from '../methods.ts';
import type { Result } from '../service.ts';
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
}

export function allowTools({ mayUse, mayList = mayUse, refusal, refusalOf }: ToolPolicy): ServiceLayer {
  return (next) => (method, params, caller) => {
    const refused = refusalOf(method);
    if (refused) return Promise.reject(refused);
    const { target, list } = methodsOfMcp.get(method) ?? {};
    const tool = target?.list === 'tools' ? params[target.parameter] : undefined;
    if (target?.list === 'tools' && !mayUse(tool)) return Promise.reject(refusal(tool));
    const result = next(method, params, caller);
    if (list?.member !== 'tools') return result;
    return result instanceof Promise ? result.then((page) => allowedOf(page, mayList)) : allowedOf(result, mayList);
  };
}

function allowedOf(page: Result, mayList: ToolPolicy['mayUse']): Result {
  if (!Array.isArray(page.tools)) return page;
  const allowed = page.tools.filter((tool) => mayList(tool?.name));
  return allowed.length === page.tools.length ? page : { ...page, tools: allowed };
}
