// Who sends a request: from its headers to a principal, or to a refusal. It knows nothing about what is served.

import { isSameText, isSameToken } from '../../http/access.ts';
import type { Principal } from '../principal.ts';

export interface AuthRequest {
  /** `name` in lower case. */
  header(name: string): string | undefined;
}

export interface AuthRefusal {
  /** 401: no credentials, or not valid. 403: valid, but not for this. 503: they cannot be checked now. */
  readonly status: 401 | 403 | 503;
  readonly message: string;
  /** RFC 6750: what is wrong with the token. Absent where none was sent. */
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  /** The scopes that a token needs, with a space between them. */
  readonly scope?: string | undefined;
}

export interface Auth {
  /** A result that is known at once is returned at once: it is asked for each request. */
  authenticate(request: AuthRequest): Principal | AuthRefusal | Promise<Principal | AuthRefusal>;
  /** The issuers whose tokens are accepted: they are named in the protected-resource metadata (RFC 9728). */
  readonly authorizationServers?: readonly string[] | undefined;
  /** The scope that clients should ask these issuers for. */
  readonly scope?: string | undefined;
  /** Calls `ended` with the name of each principal whose sessions have to end. Returns a function that stops it. */
  watch?(ended: (principal: string) => void): () => void;
}

export function isRefusal(found: Principal | AuthRefusal): found is AuthRefusal {
  return 'status' in found;
}

/** No token is longer. Larger headers are refused before they are looked at. */
const MOST_TOKEN_CHARS = 16 * 1024;

/** The token of `Authorization: Bearer …`, or the refusal of a request that has none. */
export function bearerToken(request: AuthRequest): string | AuthRefusal {
  const header = request.header('authorization');
  if (header === undefined || header.length > MOST_TOKEN_CHARS) return noToken;
  return /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1] ?? noToken;
}

const noToken: AuthRefusal = { status: 401, message: 'Send the token as Authorization: Bearer …' };
export const wrongToken: AuthRefusal = {
  status: 401,
  message: 'The token is not valid: it is unknown, was removed or has expired',
  error: 'invalid_token',
};

/** One token, for the owner. */
export function ownerToken(token: string): Auth {
  const owner: Principal = { name: 'owner' };
  const usual = Buffer.from(`Bearer ${token}`);
  return {
    authenticate(request) {
      const header = request.header('authorization');
      if (header?.length === usual.length && isSameText(header, usual)) return owner;
      const given = bearerToken(request);
      if (typeof given !== 'string') return given;
      return isSameToken(given, token) ? owner : wrongToken;
    },
  };
}

/** Accepts what one of them accepts. A request that none accepts gets the refusal of the last one. */
export function anyOf(...auths: readonly Auth[]): Auth {
  const from = (request: AuthRequest, at: number): ReturnType<Auth['authenticate']> => {
    const found = auths[at]!.authenticate(request);
    if (at === auths.length - 1) return found;
    if (found instanceof Promise) return found.then((known) => (isRefusal(known) ? from(request, at + 1) : known));
    return isRefusal(found) ? from(request, at + 1) : found;
  };
  return {
    authenticate: (request) => from(request, 0),
    authorizationServers: auths.flatMap(({ authorizationServers = [] }) => authorizationServers),
    scope: auths.find(({ scope }) => scope !== undefined)?.scope,
    watch(ended) {
      const stops = auths.map((auth) => auth.watch?.(ended));
      return () => {
        for (const stop of stops) stop?.();
      };
    },
  };
}
