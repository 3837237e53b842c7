// Adapts auth providers of the official client to authorizers, so that programs can keep using theirs.

import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import { UsageError } from '../../../base/errors.ts';
import type { Authorizer, Refusal } from './authorizer.ts';

/** The `authProvider` of the official transports: a token source or a complete OAuth client. */
export type AnyAuthProvider = AuthProvider | OAuthClientProvider;

export function authorizerOf(provider: AnyAuthProvider, serverUrl: URL): Authorizer {
  const isOAuth = 'tokens' in provider;
  return {
    async header() {
      const token = isOAuth ? (await provider.tokens())?.access_token : await provider.token();
      return token === undefined ? undefined : `Bearer ${token}`;
    },
    async refused(refusal) {
      if (isOAuth) return authorize(provider, serverUrl, refusal);
      if (refusal.status !== 401 || !provider.onUnauthorized) return false;
      await provider.onUnauthorized({ response: asResponse(refusal), serverUrl, fetchFn: fetch });
      return true;
    },
  };
}

async function authorize(provider: OAuthClientProvider, serverUrl: URL, refusal: Refusal): Promise<boolean> {
  const official = await import('@modelcontextprotocol/client');
  const { resourceMetadataUrl, scope } = official.extractWWWAuthenticateParams(asResponse(refusal));
  const granted = (await provider.tokens())?.scope;
  const wanted = refusal.status === 403 ? official.computeScopeUnion(granted, scope) : scope;
  const result = await official.auth(provider, {
    serverUrl,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(wanted !== undefined && { scope: wanted }),
    // A token refresh cannot add scopes.
    forceReauthorization: refusal.status === 403 && official.isStrictScopeSuperset(wanted, granted),
  });
  if (result === 'AUTHORIZED') return true;
  throw new UsageError('LOGIN_REQUIRED', 'The authProvider has sent the user to the authorization server', {
    hint: 'Pass the code of the redirect to `auth()` of @modelcontextprotocol/client, and connect again.',
  });
}

function asResponse({ status, challenge }: Refusal): Response {
  return new Response(null, { status, headers: challenge === undefined ? {} : { 'www-authenticate': challenge } });
}
