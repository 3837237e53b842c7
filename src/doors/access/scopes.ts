// What the scopes of a token allow: `mcp` everything, `mcp:<server>` one server, `mcp:<server>/<tool>` a tool of it. In names, `*`
// stands for any characters. Other scopes are those of other programs.

import type { JWTPayload } from 'jose';
import type { Principal } from '../principal.ts';

/** For everything. */
export const SCOPE = 'mcp';

/** `scope` as RFC 9068 has it, or `scp` as some issuers do. */
export function scopesIn({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
}

/** Undefined where they allow nothing. Servers with all their tools and single tools together are patterns for tools. */
export function rightsOfScopes(scopes: readonly string[]): Omit<Principal, 'name'> | undefined {
  if (scopes.includes(SCOPE)) return {};
  const ours = scopes.filter((scope) => scope.startsWith(`${SCOPE}:`)).map((scope) => scope.slice(SCOPE.length + 1));
  const names = ours.filter((name) => name !== '');
  if (names.length === 0) return undefined;
  if (!names.some((name) => name.includes('/'))) return { servers: names };
  return { tools: names.map((name) => (name.includes('/') ? name : `${name}/*`)) };
}

/** For a server. Undefined where its name cannot be part of a scope. */
export function scopeOf(server: string): string | undefined {
  return /^[\w.-]+$/.test(server) ? `${SCOPE}:${server}` : undefined;
}
