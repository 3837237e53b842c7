// Information that a client needs to get a token: the protected-resource metadata (RFC 9728) and the challenge that
// refers to it.

import type { Auth, AuthRefusal } from './auth.ts';

/** Parts of the URL at which MCP is served. */
export interface ProtectedResource {
  origin: string;
  path: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * The metadata document at this path, for the resource itself and each server below it, or undefined if there is none.
 */
export function resourceMetadata(path: string, resource: ProtectedResource, auth: Auth): object | undefined {
  if (!path.startsWith(WELL_KNOWN) || !auth.authorizationServers?.length) return undefined;
  const rest = path.slice(WELL_KNOWN.length);
  if (rest !== '' && !isWithin(rest, resource)) return undefined;
  return {
    resource: `${resource.origin}${rest || resource.path}`,
    authorization_servers: auth.authorizationServers,
    ...(auth.scope !== undefined && { scopes_supported: [auth.scope] }),
    bearer_methods_supported: ['header'],
  };
}

/** The value of `WWW-Authenticate`. */
export function challenge(
  path: string,
  resource: ProtectedResource | undefined,
  auth: Auth,
  refusal: AuthRefusal,
): string {
  const { error, scope = auth.scope } = refusal;
  const parts = error === undefined ? [] : [`error="${error}"`];
  if (resource && auth.authorizationServers?.length) {
    // The client's path is repeated only if it cannot close the quotes.
    const at = isWithin(path, resource) && /^[\w./~%-]*$/.test(path) ? path : resource.path;
    parts.push(`resource_metadata="${resource.origin}${WELL_KNOWN}${at}"`);
  }
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`;
}

function isWithin(path: string, { path: root }: ProtectedResource): boolean {
  return path === root || path.startsWith(`${root}/`);
}
