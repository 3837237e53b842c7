// Rights granted by token scopes: `mcp` for everything, `mcp:<server>` for one server, `mcp:<server>/<tool>` for one tool. In names, `*`
// matches any characters. Other scopes belong to other programs and are ignored.

import type { JWTPayload } from 'jose';
import type { Principal } from '../principal.ts';

/** Grants everything. */
export const SCOPE = 'mcp';

/** Reads `scope` (RFC 9068), or `scp`, which some issuers use. */
export function scopesIn({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
}

/** Undefined if the scopes grant nothing. A mix of whole servers and single tools becomes a list of tool patterns. */
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
