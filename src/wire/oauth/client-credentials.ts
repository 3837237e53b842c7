// The client credentials grant: a program authenticates as itself, with a secret or a signed JWT (RFC 7523).

import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { UsageError } from '../../base/errors.ts';
import type { AuthFetch } from './auth-fetch.ts';
import type { Challenge } from './challenge.ts';
import { asFailure, type Discovered, discover } from './discovery.ts';
import { refuseOtherIssuer, withResource } from './log-in.ts';
import { type Login, urlWithoutQuery } from './login.ts';
import type { OAuthOptions } from './options.ts';
import { loginOf, union } from './token-request.ts';

export interface ClientCredentialsOptions extends OAuthOptions {
  server: URL;
  challenge: Challenge;
  fetch: AuthFetch;
  before?: Login | undefined;
  nowMs: number;
}

export async function clientCredentials(options: ClientCredentialsOptions): Promise<Login> {
  const { server, challenge, fetch, before, nowMs, scopes = [] } = options;
  const { fetchToken } = await import('@modelcontextprotocol/client');
  const discovered = await discover({ server, challenge, fetch, preferredIssuer: before?.issuer });
  refuseOtherIssuer(discovered, before, options);
  const { authorizationServer, metadata, resource, issuer, scopesSupported = [] } = discovered;
  const scope = union(before?.scope, challenge.scope, ...scopes) ?? union(...scopesSupported);
  const provider = await providerOf(options, discovered);
  try {
    const tokens = await fetchToken(provider, authorizationServer, {
      metadata,
      resource: new URL(resource),
      ...(scope !== undefined && { scope }),
      fetchFn: withResource(fetch, resource),
    });
    const client = { client_id: options.clientId! };
    return loginOf({ server, discovered, client, tokens, requestedScope: scope, nowMs });
  } catch (error) {
    throw asFailure(error, `${urlWithoutQuery(issuer)} did not issue a token`);
  }
}

async function providerOf(options: OAuthOptions, { issuer }: Discovered): Promise<OAuthClientProvider> {
  const { clientId, clientSecret, privateKey, algorithm = 'ES256' } = options;
  const { ClientCredentialsProvider, PrivateKeyJwtProvider } = await import('@modelcontextprotocol/client');
  const common = { clientId: clientId ?? '', clientName: 'Standpipe', expectedIssuer: issuer };
  if (clientId !== undefined && privateKey !== undefined) {
    return new PrivateKeyJwtProvider({ ...common, privateKey, algorithm });
  }
  if (clientId !== undefined && clientSecret !== undefined) {
    return new ClientCredentialsProvider({ ...common, clientSecret });
  }
  throw new UsageError(
    'INVALID_OPTION',
    'The grant client_credentials needs a clientId, and a clientSecret or a privateKey',
  );
}
