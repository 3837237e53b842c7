// Interactive login to a server, and logout.

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { UsageError } from '../../base/errors.ts';
import { learnSecret } from '../../base/secrets/mask-values.ts';
import type { HttpClientOptions } from '../transport/http/http-client-options.ts';
import { type AuthFetch, authFetch } from './auth-fetch.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { discover, findResource } from './discovery.ts';
import { type Interaction, logIn } from './log-in.ts';
import { type Login, serverKey, urlWithoutQuery } from './login.ts';
import { type LoginKey, LoginStore, type StoredLogin } from './login-store.ts';
import type { OAuthOptions } from './options.ts';
import { oauthClientOf } from './token-request.ts';

export interface AccountOptions {
  url: string | URL;
  /** Headers for the server, which may require more than a token. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The configured options. */
  oauth?: OAuthOptions | undefined;
  store?: LoginStore | undefined;
  fetch?: AuthFetch | undefined;
  ca?: HttpClientOptions['ca'];
}

export interface LogInToOptions extends AccountOptions {
  interact: () => Promise<Interaction>;
  /** Replaces the configured client. */
  clientId?: string | undefined;
  scopes?: readonly string[] | undefined;
}

export interface LoggedIn {
  login: Login;
  tokensIn: StoredLogin['tokensIn'];
}

export async function logInTo(options: LogInToOptions): Promise<LoggedIn> {
  const { url, headers, oauth = {}, store = new LoginStore(), clientId = oauth.clientId, interact } = options;
  if (oauth.clientSecret) learnSecret(oauth.clientSecret);
  const server = new URL(url);
  const fetch = options.fetch ?? authFetch({ server, ca: options.ca });
  const key = keyOf(options);
  const { isRefused, ...challenge } = await askServer(server, headers, fetch);
  // Some servers require a token only later, but name their authorization server in their metadata.
  if (!isRefused && !(await findResource(server, challenge, fetch))) {
    throw new UsageError('INVALID_OPTION', `${urlWithoutQuery(server)} does not ask for a login`, {
      hint: 'Check the URL, or use the server without a login.',
    });
  }
  const scopes = [...(oauth.scopes ?? []), ...(options.scopes ?? [])];
  const before = await store.read(key);
  const request = { ...oauth, clientId, scopes, server, challenge, fetch, interact, before, nowMs: Date.now() };
  const login = await logIn(request);
  return { login, tokensIn: await store.write(key, login) };
}

/**
 * Resolves to false if there was no login. `isRevoked`: the authorization server confirmed that the tokens are revoked.
 */
export async function logOutOf(options: AccountOptions): Promise<{ isRevoked: boolean } | false> {
  const { store = new LoginStore() } = options;
  const server = new URL(options.url);
  const key = keyOf(options);
  if (!store.list().some((login) => login.server === key.server && login.client === key.client)) return false;
  const login = await store.read(key);
  const fetch = options.fetch ?? authFetch({ server, ca: options.ca });
  // The tokens are removed locally in any case.
  const isRevoked = login !== undefined && (await revoke(login, server, fetch, options.oauth).catch(() => false));
  await store.remove(key);
  return { isRevoked };
}

export function keyOf({ url, oauth }: AccountOptions): LoginKey {
  return { server: serverKey(url), client: oauth?.clientId };
}

/** Sends a request without a token. The method is irrelevant, because the server refuses before it reads the body. */
async function askServer(
  server: URL,
  headers: Readonly<Record<string, string>> | undefined,
  fetch: AuthFetch,
): Promise<Challenge & { isRefused: boolean }> {
  const response = await fetch(server, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  const challenge = await readChallenge(response.headers.get('www-authenticate') ?? undefined);
  return { ...challenge, isRefused: response.status === 401 || response.status === 403 };
}

/** Revokes the tokens (RFC 7009). Revoking the refresh token also revokes the access tokens made from it. */
async function revoke(login: Login, server: URL, fetch: AuthFetch, oauth?: OAuthOptions): Promise<boolean> {
  const { issuer, metadata } = await discover({ server, challenge: {}, fetch, preferredIssuer: login.issuer });
  const endpoint = (metadata as AuthorizationServerMetadata & { revocation_endpoint?: string })?.revocation_endpoint;
  if (issuer !== login.issuer || typeof endpoint !== 'string') return false;
  const { client_id, client_secret } = oauthClientOf(login, oauth);
  const { accessToken, refreshToken } = login.secrets;
  const body = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
  });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (client_secret === undefined || login.authMethod === 'client_secret_post') {
    body.set('client_id', client_id);
    if (client_secret !== undefined) body.set('client_secret', client_secret);
  } else {
    const pair = [client_id, client_secret].map(encodeURIComponent).join(':');
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return (await fetch(endpoint, { method: 'POST', headers, body })).ok;
}
