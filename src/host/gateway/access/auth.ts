// Authentication of a request: its headers give a principal or a refusal.

import { isSameText, isSameToken } from '../../../wire/http/access.ts';

export interface Principal {
  readonly name: string;
  /** Names of the servers that the principal may use. Default: all. */
  readonly servers?: readonly string[] | undefined;
  /** Tools that the principal may use, as `tool` or `server/tool`. Default: all. */
  readonly tools?: readonly string[] | undefined;
  readonly quotas?: Quotas | undefined;
  /** Expiry of the token in milliseconds since 1970. Open streams end then. */
  readonly expiresMs?: number | undefined;
  /** True if the rights come from token scopes, so that another token could grant more. */
  readonly isScoped?: boolean | undefined;
}

/** Limits of all clients of one principal together. The gateway's limits apply as well. */
export interface Quotas {
  /** Running and queued requests. */
  inFlight?: number | undefined;
  requestsPerMinute?: number | undefined;
  sessions?: number | undefined;
  streams?: number | undefined;
  /** Bytes of running and queued requests plus unread answers. */
  waitingBytes?: number | undefined;
}

export interface AuthRequest {
  /** `name` must be lower case. */
  header(name: string): string | undefined;
}

export interface AuthRefusal {
  /** 401: credentials are missing or invalid. 403: valid but insufficient. 503: they cannot be checked now. */
  readonly status: 401 | 403 | 503;
  readonly message: string;
  /** Error code of RFC 6750. Absent if the request had no token. */
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  /** The scopes that a token needs, separated by spaces. */
  readonly scope?: string | undefined;
}

export interface Auth {
  /** A result that is known immediately is returned without a promise. */
  authenticate(request: AuthRequest): Principal | AuthRefusal | Promise<Principal | AuthRefusal>;
  /** Issuers of accepted tokens, for the protected-resource metadata (RFC 9728). */
  readonly authorizationServers?: readonly string[] | undefined;
  /** The scope that clients should request from these issuers. */
  readonly scope?: string | undefined;
  /** Calls `ended` with the name of each principal whose sessions must end. Returns a function that stops watching. */
  watch?(ended: (principal: string) => void): () => void;
}

export function isAuthRefusal(found: Principal | AuthRefusal): found is AuthRefusal {
  return 'status' in found;
}

/** Limit of the header in characters: longer ones are refused without being parsed. */
const MOST_TOKEN_CHARS = 16 * 1024;

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

export const OWNER = 'owner';

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

/** If none of `auths` accepts a request, the refusal of the last one applies. */
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
