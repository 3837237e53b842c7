// Converts a response of the token endpoint to a login.

import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client';
import { learnSecret } from '../../base/secrets/mask-values.ts';
import { authFailed } from './auth-fetch.ts';
import type { Discovered } from './discovery.ts';
import { type Login, serverKey, urlWithoutQuery } from './login.ts';
import type { OAuthOptions } from './options.ts';

export interface Granted {
  server: URL;
  discovered: Discovered;
  client: OAuthClientInformationMixed;
  tokens: OAuthTokens;
  requestedScope: string | undefined;
  redirectUrl?: string | undefined;
  nowMs: number;
}

/** 100 years. */
const LONGEST_LIFETIME_S = 100 * 365 * 24 * 3600;
/** Characters that a header can carry (RFC 6750). */
const BEARER_TOKEN = /^[\x21-\x7e]{1,16384}$/;

export function loginOf({ server, discovered, client, tokens, requestedScope, redirectUrl, nowMs }: Granted): Login {
  const { access_token, refresh_token, expires_in, token_type, scope } = tokens;
  const given = refresh_token ? [access_token, refresh_token] : [access_token];
  if (token_type.toLowerCase() !== 'bearer' || !given.every((token) => BEARER_TOKEN.test(token))) {
    throw authFailed(`${urlWithoutQuery(discovered.issuer)} issued a token that is not a bearer token`);
  }
  for (const token of given) learnSecret(token);
  const authMethod = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined;
  return {
    server: serverKey(server),
    issuer: discovered.issuer,
    resource: discovered.resource,
    clientId: client.client_id,
    authMethod: typeof authMethod === 'string' ? authMethod : undefined,
    redirectUrl,
    scope: union(requestedScope, scope),
    created: new Date(nowMs).toISOString(),
    expires: expires_in === undefined ? undefined : new Date(nowMs + lifetimeMs(expires_in)).toISOString(),
    canRefresh: refresh_token !== undefined,
    secrets: { accessToken: access_token, refreshToken: refresh_token, clientSecret: client.client_secret },
  };
}

/** Limits the lifetime, because a Date has a maximum. */
function lifetimeMs(seconds: number): number {
  return Math.min(Math.max(seconds, 0), LONGEST_LIFETIME_S) * 1000;
}

/** `configured`: options of the config, whose client secret is not stored with the login. */
export function oauthClientOf(login: Login, configured: OAuthOptions = {}): OAuthClientInformationMixed {
  const { clientId, authMethod, secrets } = login;
  const isConfigured = clientId === configured.clientId;
  const secret = isConfigured ? configured.clientSecret : secrets.clientSecret;
  return {
    client_id: clientId,
    ...(secret !== undefined && { client_secret: secret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

/** The union of space-separated scope lists, or undefined if it is empty. */
export function union(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((each) => each?.split(/\s+/).filter((scope) => scope !== '') ?? []));
  return all.size === 0 ? undefined : [...all].join(' ');
}
