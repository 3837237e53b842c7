// Providers of the official client work with our transport as with the official one.

import { auth, type OAuthClientProvider, type StoredOAuthTokens } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import type { HttpClientOptions } from '../../src/wire/transport/http/http-client-options.ts';
import { issuer, server } from '../fixtures/oauth/protected-pair.ts';

async function use(authProvider: HttpClientOptions['authProvider']) {
  const client = await connect({ url: server.url, authProvider });
  const { content } = await client.callTool('hello');
  await client.close();
  return content;
}

/** Keeps everything in memory, like the examples of the official client. */
function inMemory(): OAuthClientProvider & { page?: URL } {
  const kept: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const provider: OAuthClientProvider & { page?: URL } = {
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client as never,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens as StoredOAuthTokens | undefined,
    saveTokens: keep('tokens'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier as string,
    discoveryState: () => kept.discovery as never,
    saveDiscoveryState: keep('discovery'),
    redirectToAuthorization(url) {
      provider.page = url;
    },
  };
  return provider;
}

test('an OAuth client: its tokens are used after the redirect, and refreshed', async () => {
  const provider = inMemory();
  await expect(use(provider)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
  const { headers } = await fetch(provider.page!, { redirect: 'manual' });
  const { searchParams } = new URL(headers.get('location')!);
  const [authorizationCode, iss] = [searchParams.get('code')!, searchParams.get('iss')!];
  expect(await auth(provider, { serverUrl: server.url, authorizationCode, iss })).toBe('AUTHORIZED');
  expect(await use(provider)).toEqual([{ type: 'text', text: 'hello' }]);
  issuer.revoked.add((await provider.tokens())!.access_token);
  expect(await use(provider)).toEqual([{ type: 'text', text: 'hello' }]);
  expect(issuer.requests.filter(({ params }) => params.get('grant_type') === 'refresh_token')).toHaveLength(1);
});

test('a provider of tokens only: a refusal requests another token', async () => {
  const good = await issuer.issuer.token({ iss: issuer.url, aud: server.url });
  let token = 'not-a-token';
  const statuses: number[] = [];
  const provider = {
    token: async () => token,
    async onUnauthorized({ response }: { response: Response }) {
      statuses.push(response.status);
      token = good;
    },
  };
  expect(await use(provider)).toEqual([{ type: 'text', text: 'hello' }]);
  expect(statuses).toEqual([401]);
  await expect(use({ token: async () => undefined })).rejects.toThrow('Send the token');
});
