// The rights of a principal: as functions of names, from scopes of a token, and as a restriction of a service. A tool pattern is `tool` (of
// any server) or `server/tool`, split at the first `/`. If only tool patterns are given, they also decide about servers.

import type { JWTPayload } from 'jose';
import { globMatcher } from '../../../base/glob.ts';
import { filterFacts } from '../../../mcp/extensions/assigned-ids.ts';
import { allowedWatch, allowTools, type ToolPolicy } from '../../../mcp/layers/allow-tools.ts';
import { compose, overlay } from '../../../mcp/layers/layer.ts';
import { isOfService, methodsOfMcp } from '../../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../../mcp/protocol-errors.ts';
import type { Rights } from '../../../mcp/rights.ts';
import type { Service, Watcher } from '../../../mcp/service.ts';
import type { Principal } from './auth.ts';

interface RightsOfPrincipal extends Rights {
  /** A key that is equal for principals with the same rights. */
  readonly key: string;
}

const known = new WeakMap<Principal, RightsOfPrincipal>();

/** Returns undefined if the principal may use everything. */
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

/** Scopes: `mcp` for everything, `mcp:<server>` for one server, `mcp:<server>/<tool>` for one tool; `*` in names matches any characters. */
export const SCOPE = 'mcp';

/** Reads `scope` (RFC 9068), or `scp`, which some issuers use. */
export function scopesIn({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
}

/** Returns undefined if the scopes grant nothing. Scopes of other programs are ignored. */
export function rightsOfScopes(scopes: readonly string[]): Omit<Principal, 'name'> | undefined {
  if (scopes.includes(SCOPE)) return {};
  const ours = scopes.filter((scope) => scope.startsWith(`${SCOPE}:`)).map((scope) => scope.slice(SCOPE.length + 1));
  const names = ours.filter((name) => name !== '');
  if (names.length === 0) return undefined;
  if (!names.some((name) => name.includes('/'))) return { servers: names };
  return { tools: names.map((name) => (name.includes('/') ? name : `${name}/*`)) };
}

/** The scope for a server. Undefined if its name cannot be part of a scope. */
export function scopeOf(server: string): string | undefined {
  return /^[\w.-]+$/.test(server) ? `${SCOPE}:${server}` : undefined;
}

/**
 * Hides other tools and servers, and methods that MCP does not define, because they could run a tool under another name. A service without
 * a `name` is available only to principals that may use any server. Undefined if the principal may not use the service at all.
 */
export function restrict(service: Service, name = '', rights: Rights): Service | undefined {
  if (service.restrictedTo) return service.restrictedTo(rights);
  if (!rights.mayUseServer(name)) return undefined;
  if (!rights.limitsTools) return service;
  const policy: ToolPolicy = {
    // A server may accept an array with one name as the name.
    mayUse: (tool) => typeof tool === 'string' && rights.mayUseTool(name, tool),
    refusal: (tool) => invalidParams(`Unknown tool: ${JSON.stringify(tool)}`),
    refusalOf: (method) => (isOfService(method) ? undefined : methodNotFound(method)),
    tools: service.tools?.bind(service),
  };
  const { tool } = service;
  const watch = allowedWatch(service, policy);
  return overlay(compose(service, allowTools(policy)), {
    ...(tool && {
      tool: (given, client) => (rights.mayUseTool(name, given) ? tool.call(service, given, client) : undefined),
    }),
    notify: (method, params, client) => {
      const isKnown =
        method === 'notifications/roots/list_changed' || methodsOfMcp.get(method)?.extension !== undefined;
      return isKnown ? service.notify(method, params, client) : undefined;
    },
    watch: (watcher) => watch(withoutUnknown(watcher)),
  });
}

/** Removes the members of the filter that no extension of this process defines: the server could run a tool for them. */
function withoutUnknown(watcher: Watcher): Watcher {
  const { further, ...filter } = watcher.filter;
  if (!further) return watcher;
  const known = Object.entries(further).filter(([member]) => filterFacts(member) !== undefined);
  return {
    filter: { ...filter, ...(known.length > 0 && { further: Object.fromEntries(known) }) },
    client: watcher.client,
    notified: (method, params) => watcher.notified(method, params),
    accepted: (members) => watcher.accepted?.(members),
    ended: () => watcher.ended?.(),
  };
}
