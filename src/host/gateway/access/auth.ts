// Authentication of a request: maps its headers to a principal or a refusal. It knows nothing about what is served.

import { isSameText, isSameToken } from '../../../wire/http/access.ts';
import type { Principal } from '../principal.ts';

export interface AuthRequest {
  /** `name` must be lower case. */
  header(name: string): string | undefined;
}

export interface AuthRefusal {
  /** 401: credentials are missing or invalid. 403: valid but insufficient. 503: they cannot be checked now. */
  readonly status: 401 | 403 | 503;
  readonly message: string;
  /** RFC 6750: what is wrong with the token. Absent if the request had none. */
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  /** The scopes that a token needs, separated by spaces. */
  readonly scope?: string | undefined;
}

export interface Auth {
  /** Called for each request. A result that is known immediately is returned without a promise. */
  authenticate(request: AuthRequest): Principal | AuthRefusal | Promise<Principal | AuthRefusal>;
  /** The issuers whose tokens are accepted. They are named in the protected-resource metadata (RFC 9728). */
  readonly authorizationServers?: readonly string[] | undefined;
  /** The scope that clients should request from these issuers. */
  readonly scope?: string | undefined;
  /** Calls `ended` with the name of each principal whose sessions must end. Returns a function that stops watching. */
  watch?(ended: (principal: string) => void): () => void;
}

export function isAuthRefusal(found: Principal | AuthRefusal): found is AuthRefusal {
  return 'status' in found;
}

/** Maximum length of a token. Longer headers are refused without being parsed. */
const MOST_TOKEN_CHARS = 16 * 1024;

/** The token of `Authorization: Bearer …`, or a refusal if there is none. */
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

/** Name of the principal of `ownerToken`. */
export const OWNER = 'owner';

/** A single token, which authenticates the owner. */
export function ownerToken(token: string): Auth {
  const owner: Principal = { name: OWNER };
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

/** Accepts a request if one of `auths` accepts it. Otherwise returns the refusal of the last one. */
export function anyOf(...auths: readonly Auth[]): Auth {
  const from = (request: AuthRequest, at: number): ReturnType<Auth['authenticate']> => {
    const found = auths[at]!.authenticate(request);
    if (at === auths.length - 1) return found;
    if (found instanceof Promise) return found.then((known) => (isAuthRefusal(known) ? from(request, at + 1) : known));
    return isAuthRefusal(found) ? from(request, at + 1) : found;
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
