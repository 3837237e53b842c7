// The authorization at a server, unless its headers have one or it is turned off. OAuth is loaded with the first request.

import type { OAuthAuthorizerOptions } from '../oauth/oauth-authorizer.ts';
import type { Authorizer } from '../transport/http/authorizer.ts';

/** `false`: none. */
export type AuthSetting = Omit<OAuthAuthorizerOptions, 'url'> | false;

export interface AuthorizedAddress {
  url: string | URL;
  headers?: Readonly<Record<string, string>> | undefined;
  auth?: AuthSetting | undefined;
}

export function authorizerFor({ url, headers = {}, auth = {} }: AuthorizedAddress): Authorizer | undefined {
  const hasCredential = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (auth === false || hasCredential) return undefined;
  let loaded: Authorizer | undefined;
  const load = async () => {
    const { OAuthAuthorizer } = await import('../oauth/oauth-authorizer.ts');
    loaded ??= new OAuthAuthorizer({ ...auth, url });
    return loaded;
  };
  return {
    header: () => (loaded ? loaded.header() : load().then((authorizer) => authorizer.header())),
    refused: async (refusal) => (await load()).refused(refusal),
  };
}
