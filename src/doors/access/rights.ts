// What a principal may use, as functions of names. A pattern for tools is `tool` (of any server) or `server/tool`, split at the
// first `/`. Where only patterns for tools are given, they decide about servers too.

import { globMatcher } from '../../base/glob.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { Principal } from '../principal.ts';

export interface RightsOfPrincipal extends Rights {
  /** Equal for principals that may use the same. */
  readonly key: string;
}

const known = new WeakMap<Principal, RightsOfPrincipal>();

/** Undefined where the principal may use everything. */
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
