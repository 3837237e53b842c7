// Finds the authorization server of a server and checks that it can be used: protected-resource metadata (RFC 9728), then authorization
// server metadata (RFC 8414, OpenID Connect Discovery). The official client reads and validates both.

import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import { PeerError, toError } from '../../base/errors.ts';
import { type AuthFetch, authFailed, refuseInsecure } from './auth-fetch.ts';
import type { Challenge } from './challenge.ts';
import { urlWithoutQuery } from './login.ts';

export interface Discovered {
  /** Identical to `issuer`, except for a trailing slash. */
  readonly authorizationServer: string;
  readonly issuer: string;
  /**
   * The metadata; undefined for a server of 2025-03-26 without metadata, whose endpoints are at the default paths of
   * that revision.
   */
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
}

export interface DiscoverOptions {
  server: URL;
  challenge: Challenge;
  fetch: AuthFetch;
  /** The issuer to choose if the server names several authorization servers. */
  preferredIssuer?: string | undefined;
}

export async function discover({ server, challenge, fetch, preferredIssuer }: DiscoverOptions): Promise<Discovered> {
  refuseInsecure(server, server); // the token would be sent to this address
  const official = await import('@modelcontextprotocol/client');
  const resource = await findResource(server, challenge, fetch);
  const named = resource?.authorization_servers ?? [];
  const authorizationServer = named.find((each) => each === preferredIssuer) ?? named[0] ?? new URL('/', server).href;
  refuseInsecure(new URL(authorizationServer), server);
  const metadata = await official
    .discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: fetch })
    .catch((error: unknown) => {
      throw asFailure(error, `The metadata of ${urlWithoutQuery(authorizationServer)} cannot be used`);
    });
  if (metadata) refuseUnusable(metadata, server);
  else if (resource)
    throw authFailed(`${urlWithoutQuery(authorizationServer)} has no metadata of an authorization server`);
  return {
    authorizationServer,
    issuer: metadata?.issuer ?? authorizationServer,
    metadata,
    resource: resource?.resource ?? official.resourceUrlFromServerUrl(server).href,
    scopesSupported: resource?.scopes_supported,
  };
}

/** Resolves to undefined if the server has no such document, as servers of 2025-03-26. */
export async function findResource(
  server: URL,
  { resourceMetadataUrl }: Challenge,
  fetch: AuthFetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { checkResourceAllowed, discoverOAuthProtectedResourceMetadata } = await import('@modelcontextprotocol/client');
  let isMissing = true;
  const watched: AuthFetch = async (url, init) => {
    isMissing = false;
    const response = await fetch(url, init);
    isMissing = response.status >= 400 && response.status < 500;
    return response;
  };
  let resource: OAuthProtectedResourceMetadata;
  try {
    resource = await discoverOAuthProtectedResourceMetadata(server, { resourceMetadataUrl }, watched);
  } catch (error) {
    if (isMissing) return undefined;
    throw asFailure(error, `The protected-resource metadata of ${urlWithoutQuery(server)} cannot be used`);
  }
  if (!checkResourceAllowed({ requestedResource: server, configuredResource: resource.resource })) {
    throw authFailed(
      `The protected-resource metadata is for ${urlWithoutQuery(resource.resource)}, not for ${urlWithoutQuery(server)}`,
    );
  }
  return resource;
}

/** "MCP clients MUST verify PKCE support": the official client accepts metadata without this information. */
function refuseUnusable(metadata: AuthorizationServerMetadata, server: URL): void {
  const { issuer, authorization_endpoint, token_endpoint, code_challenge_methods_supported } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint]) refuseInsecure(new URL(endpoint), server);
  if (!code_challenge_methods_supported?.includes('S256')) {
    throw authFailed(
      `The authorization server ${urlWithoutQuery(issuer)} does not declare PKCE with S256, which is required`,
    );
  }
}

/**
 * Our own errors are returned unchanged. Other messages may be long, for example those of schemas, and are shortened.
 */
export function asFailure(error: unknown, what: string): PeerError {
  if (error instanceof PeerError) return error;
  const { name, message } = toError(error);
  return authFailed(
    `${what}: ${name === 'ZodError' ? 'required members are missing or invalid' : message.slice(0, 300)}`,
    error,
  );
}
