// The rights of a principal as functions of names. A tool pattern is `tool` (of any server) or `server/tool`, split at the first `/`. If
// only tool patterns are given, they also decide about servers.

import { globMatcher } from '../../../base/glob.ts';
import type { Rights } from '../../../mcp/rights.ts';
import type { Principal } from '../principal.ts';

export interface RightsOfPrincipal extends Rights {
  /** Equal for principals with the same rights. */
  readonly key: string;
}

const known = new WeakMap<Principal, RightsOfPrincipal>();

/** Undefined if the principal may use everything. */
export function rightsOf(principal: Principal | undefined): RightsOfPrincipal | undefined {
  if (principal?.servers === undefined && principal?.tools === undefined) return undefined;
  let rights = known.get(principal);
  if (!rights) {
    rights = newRights(principal);
    known.set(principal, rights);
  }
  return rights;
}

function newRights({ servers, tools }: Principal): RightsOfPrincipal {
  const serverGlobs = servers?.map(globMatcher);
  const toolGlobs = tools?.map((pattern) => {
    const slash = pattern.indexOf('/');
    return {
      server: globMatcher(slash < 0 ? '*' : pattern.slice(0, slash)),
      tool: globMatcher(pattern.slice(slash + 1)),
    };
  });
  const mayUseServer = (name: string) =>
    (serverGlobs?.some((matches) => matches(name)) ?? true) && (toolGlobs?.some(({ server }) => server(name)) ?? true);
  return {
    key: JSON.stringify([servers && [...servers].sort(), tools && [...tools].sort()]),
    limitsTools: tools !== undefined,
    mayUseServer,
    mayUseTool: (name, toolName) =>
      mayUseServer(name) && (toolGlobs?.some(({ server, tool }) => server(name) && tool(toolName)) ?? true),
  };
}
