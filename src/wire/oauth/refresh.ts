// Gets a new access token with a refresh token, only from the authorization server that issued it.

import type { OAuthTokens } from '@modelcontextprotocol/client';
import { toError } from '../../base/errors.ts';
import type { AuthFetch } from './auth-fetch.ts';
import type { Challenge } from './challenge.ts';
import { asFailure, discover } from './discovery.ts';
import { withResource } from './log-in.ts';
import { type Login, urlWithoutQuery } from './login.ts';
import type { OAuthOptions } from './options.ts';
import { loginOf, oauthClientOf } from './token-request.ts';

export interface RefreshOptions extends OAuthOptions {
  server: URL;
  challenge: Challenge;
  fetch: AuthFetch;
  login: Login;
  nowMs: number;
}

/** These errors end a login. After other errors, the same request may succeed later. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target']);

/** Resolves to undefined if the login has ended: a person has to log in again. */
export async function refresh(options: RefreshOptions): Promise<Login | undefined> {
  const { server, challenge, fetch, login, nowMs } = options;
  const { refreshAuthorization, OAuthError } = await import('@modelcontextprotocol/client');
  const discovered = await discover({ server, challenge, fetch, preferredIssuer: login.issuer });
  const refreshToken = login.secrets.refreshToken;
  if (discovered.issuer !== login.issuer || refreshToken === undefined) return undefined;
  const resource = login.resource ?? discovered.resource;
  let tokens: OAuthTokens;
  try {
    tokens = await refreshAuthorization(discovered.authorizationServer, {
      metadata: discovered.metadata,
      clientInformation: oauthClientOf(login, options),
      refreshToken,
      resource: new URL(resource),
      fetchFn: withResource(fetch, resource),
    });
  } catch (error) {
    if (error instanceof OAuthError && FINAL.has(error.code)) return undefined;
    throw asFailure(toError(error), `The token cannot be refreshed at ${urlWithoutQuery(login.issuer)}`);
  }
  const client = oauthClientOf(login, { clientId: options.clientId });
  const renewed = loginOf({ server, discovered, client, tokens, requestedScope: login.scope, nowMs });
  return { ...renewed, resource, redirectUrl: login.redirectUrl, created: login.created };
}
