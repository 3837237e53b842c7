// Selects the authorization for a server, unless its headers already have one or it is turned off. OAuth is loaded with
// the first request.

import { hasAuthorization, hasCredentials } from '../base/credentials.ts';
import type { OAuthAuthorizerOptions } from '../wire/oauth/oauth-authorizer.ts';
import type { Authorizer } from '../wire/transport/http/authorizer.ts';
import type { HttpClientOptions } from '../wire/transport/http/http-client-options.ts';

/** `false` turns authorization off. */
export type AuthSetting = Omit<OAuthAuthorizerOptions, 'url'> | false;

export interface AuthorizedAddress extends Pick<HttpClientOptions, 'url' | 'headers' | 'ca'> {
  auth?: AuthSetting | undefined;
}

export function authorizerFor({ url, headers = {}, auth = {}, ca }: AuthorizedAddress): Authorizer | undefined {
  const hasCredential =
    hasAuthorization(Object.keys(headers)) || (URL.canParse(String(url)) && hasCredentials(new URL(url)));
  if (auth === false || hasCredential) return undefined;
  let loaded: Authorizer | undefined;
  const load = async () => {
    const { OAuthAuthorizer } = await import('../wire/oauth/oauth-authorizer.ts');
    loaded ??= new OAuthAuthorizer({ ca, ...auth, url });
    return loaded;
  };
  return {
    header: () => (loaded ? loaded.header() : load().then((authorizer) => authorizer.header())),
    refused: async (refusal) => (await load()).refused(refusal),
  };
}
