// The authorization code flow: a person grants access in a browser. The official client makes each request and checks each response. This
// file decides the order, checks `state` and selects what is stored.

import { randomBytes } from 'node:crypto';
import type { OAuthClientInformationMixed, OAuthClientMetadata } from '@modelcontextprotocol/client';
import { PeerError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { learnSecret } from '../../base/secrets/mask-values.ts';
import { type AuthFetch, refuseInsecure } from './auth-fetch.ts';
import type { Challenge } from './challenge.ts';
import { asFailure, type Discovered, discover } from './discovery.ts';
import { type Login, urlWithoutQuery } from './login.ts';
import type { OAuthOptions } from './options.ts';
import { loginOf, oauthClientOf, union } from './token-request.ts';

/** How to ask a person to log in. */
export interface Interaction {
  readonly redirectUrl: string;
  /** Resolves to the parameters of the request to `redirectUrl` that has this state. */
  authorize(url: URL, state: string): Promise<URLSearchParams>;
  close(): void | Promise<void>;
}

export interface LogInOptions extends OAuthOptions {
  server: URL;
  challenge: Challenge;
  fetch: AuthFetch;
  interact: () => Promise<Interaction>;
  /** The previous login, if any. */
  before?: Login | undefined;
  nowMs: number;
}

export async function logIn(options: LogInOptions): Promise<Login> {
  const { server, challenge, fetch, before } = options;
  const discovered = await discover({ server, challenge, fetch, preferredIssuer: before?.issuer });
  refuseOtherIssuer(discovered, before, options);
  const interaction = await options.interact();
  try {
    return await authorize(options, discovered, interaction);
  } catch (error) {
    throw asFailure(error, `The login at ${urlWithoutQuery(discovered.issuer)} failed`);
  } finally {
    await interaction.close();
  }
}

async function authorize(options: LogInOptions, discovered: Discovered, interaction: Interaction): Promise<Login> {
  const { server, fetch, nowMs } = options;
  const official = await import('@modelcontextprotocol/client');
  const { authorizationServer, metadata, issuer, resource } = discovered;
  const { redirectUrl } = interaction;
  const scope = scopeFor(options, discovered);
  const client = await findClient(options, discovered, redirectUrl, scope);
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await official.startAuthorization(authorizationServer, {
    metadata,
    clientInformation: client,
    redirectUrl,
    state,
    ...(scope !== undefined && { scope }),
    resource: new URL(resource),
  });
  authorizationUrl.searchParams.set('resource', resource); // the resource is exactly as the server wrote it
  refuseInsecure(authorizationUrl, server);
  const answer = await interaction.authorize(authorizationUrl, state);
  if (answer.get('state') !== state) throw loginFailed('The state of the redirect differs from that of the request');
  const iss = answer.get('iss') ?? undefined;
  official.validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const code = answer.get('code');
  if (code === null) throw refusedBy(issuer, answer);
  learnSecret(code);
  const tokens = await official.exchangeAuthorization(authorizationServer, {
    metadata,
    clientInformation: client,
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
    codeVerifier,
    redirectUri: redirectUrl,
    resource: new URL(resource),
    fetchFn: withResource(fetch, resource),
  });
  // A configured secret is not copied into the login.
  const kept = options.clientId === undefined ? client : { client_id: client.client_id };
  return loginOf({ server, discovered, client: kept, tokens, requestedScope: scope, redirectUrl, nowMs });
}

/** The official client adds a slash to a resource without a path. This restores the original value. */
export function withResource(fetch: AuthFetch, resource: string): AuthFetch {
  return (url, init) => {
    if (init?.body instanceof URLSearchParams) init.body.set('resource', resource);
    return fetch(url, init);
  };
}

/** The scopes of the challenge, or else all supported scopes, plus earlier and configured scopes. */
function scopeFor({ challenge, scopes, before }: LogInOptions, { scopesSupported, metadata }: Discovered) {
  const needed = union(before?.scope, challenge.scope) ?? union(...(scopesSupported ?? []));
  const scope = union(needed, ...(scopes ?? []));
  const givesRefresh = metadata?.scopes_supported?.includes('offline_access') === true;
  return scope !== undefined && givesRefresh ? union(scope, 'offline_access') : scope;
}

/**
 * Uses the first of these: a configured client, the client of the previous login, a client-id metadata document, a new
 * registration.
 */
async function findClient(
  { server, clientId, clientSecret, clientMetadataUrl, before, fetch }: LogInOptions,
  { authorizationServer, issuer, metadata }: Discovered,
  redirectUrl: string,
  scope: string | undefined,
): Promise<OAuthClientInformationMixed> {
  if (clientId !== undefined) {
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  }
  const { registerClient, validateClientMetadataUrl } = await import('@modelcontextprotocol/client');
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    validateClientMetadataUrl(clientMetadataUrl);
    return { client_id: clientMetadataUrl };
  }
  if (before?.issuer === issuer && before.redirectUrl === redirectUrl) return oauthClientOf(before);
  if (metadata && metadata.registration_endpoint === undefined) {
    throw loginFailed(
      `${urlWithoutQuery(issuer)} does not support dynamic client registration`,
      `Register a client there by hand and pass its id: ${ownCommand} login <server> --client-id <id>`,
    );
  }
  const methods = metadata?.token_endpoint_auth_methods_supported;
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Standpipe',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: methods === undefined || methods.includes('none') ? 'none' : methods[0],
  };
  const client = await registerClient(authorizationServer, {
    metadata,
    clientMetadata,
    ...(scope !== undefined && { scope }),
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw metadata ? error : noAuthorizationServer(server);
  });
  if (client.client_secret !== undefined) learnSecret(client.client_secret);
  return client;
}

/**
 * The server answers 401, lacks metadata, and is not an authorization server itself, as a server of 2025-03-26 may be.
 */
function noAuthorizationServer(server: URL): PeerError {
  return loginFailed(
    `${urlWithoutQuery(server)} does not name an authorization server`,
    'It probably takes a fixed token. Set the header "Authorization": in "headers" of its entry, or with --header.',
  );
}

/** Otherwise a server that names another authorization server would receive the client secret there. */
export function refuseOtherIssuer({ issuer }: Discovered, before: Login | undefined, { clientId }: OAuthOptions): void {
  if (clientId === undefined || before === undefined || before.issuer === issuer) return;
  throw loginFailed(
    `The server names the authorization server ${urlWithoutQuery(issuer)}; the client belongs to ${urlWithoutQuery(before.issuer)}`,
    `If this change is intended, run \`${ownCommand} logout <server>\` first.`,
  );
}

/** Texts of the authorization server are shortened and stripped of control characters. */
function refusedBy(issuer: string, answer: URLSearchParams): PeerError {
  const plain = (text: string | null) => text?.replaceAll(/[^ -~]/g, '?').slice(0, 200);
  const why = [plain(answer.get('error')), plain(answer.get('error_description'))].filter(Boolean).join(': ');
  return loginFailed(`${urlWithoutQuery(issuer)} refused the login${why ? `: ${why}` : ''}`);
}

export function loginFailed(message: string, hint = `Run \`${ownCommand} login <server>\` to try again.`): PeerError {
  return new PeerError('LOGIN_FAILED', message, { hint });
}
