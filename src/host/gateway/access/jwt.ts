// `jwt({ issuer, audience })` authenticates clients with an access token of an issuer (OAuth 2.1). The token is verified here and not
// passed on. Verified tokens are cached. The public keys of the issuer come from a given address or from its metadata (RFC 8414, OpenID
// Connect Discovery), over HTTPS only, except from loopback addresses. Redirects are not followed, and responses are bounded.

import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { globMatcher } from '../../../base/glob.ts';
import { isObject } from '../../../base/json-object.ts';
import {
  type Auth,
  type AuthRefusal,
  type AuthRequest,
  bearerToken,
  isAuthRefusal,
  type Principal,
  wrongToken,
} from './auth.ts';
import { isLoopbackHost } from './exposure.ts';
import { rightsOfScopes, SCOPE, scopesIn } from './rights.ts';

/** The keys cannot be fetched, so tokens can be neither accepted nor refused. */
class KeysUnavailable extends Error {}

const MOST_BYTES = 1024 * 1024;
const MOST_KEYS = 1000;
const TIMEOUT_MS = 5000;
/** Pause after a failed fetch, so that clients cannot cause repeated requests to an issuer. */
const PAUSE_MS = 5000;

interface IssuerKeysOptions {
  /** URL of the key set. Default: found through the issuer's metadata. */
  jwks?: string;
  /** Called if the keys cannot be read. Default: a process warning. */
  onError?: (error: Error) => void;
  clock?: Clock;
}

class IssuerKeys {
  readonly #issuer: string;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  #url: string | undefined;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failure: { error: KeysUnavailable; untilMs: number } | undefined;

  constructor(issuer: string, { jwks: url, clock = systemClock, onError }: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#url = url;
    this.#clock = clock;
    this.#onError = onError ?? ((error) => process.emitWarning(error));
    for (const address of [issuer, url]) if (address !== undefined) checkAddress(address);
  }

  /** Key lookup for `jwtVerify` of jose. Known keys are found without a request to the issuer. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    this.#keys ??= this.#open();
    const keys = await this.#keys.catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return keys(header, token);
  };

  async #open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    this.#url ??= await this.#unlessPaused(() => discoverKeys(this.#issuer));
    const fetchKeys = (url: string, init: RequestInit) => this.#unlessPaused(() => readKeys(url, init));
    return createRemoteJWKSet(new URL(this.#url), { timeoutDuration: TIMEOUT_MS, [customFetch]: fetchKeys });
  }

  /** After a failed request to the issuer, further ones fail until the pause is over. */
  async #unlessPaused<T>(request: () => Promise<T>): Promise<T> {
    if (this.#failure && this.#failure.untilMs > this.#clock.nowMs()) throw this.#failure.error;
    try {
      return await request();
    } catch (thrown) {
      const cause = toError(thrown);
      const error = new KeysUnavailable(`The keys of ${this.#issuer} cannot be read: ${reasonOf(cause)}`, { cause });
      this.#failure = { error, untilMs: this.#clock.nowMs() + PAUSE_MS };
      this.#onError(error);
      throw error;
    }
  }
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Tries the locations in the order that the MCP specification requires. */
async function discoverKeys(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  const failures: string[] = [];
  for (const place of places) {
    const found = await readMetadata(place, issuer).catch(toError);
    if (typeof found === 'string') return found;
    failures.push(`${place}: ${reasonOf(found)}`);
  }
  throw new Error(failures.join('; '));
}

async function readMetadata(place: string, issuer: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await boundedFetch(place, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const metadata: unknown = await response.json();
  if (!isObject(metadata) || metadata.issuer !== issuer) throw new Error('the metadata does not name this issuer');
  if (typeof metadata.jwks_uri !== 'string') throw new Error('jwks_uri is missing');
  checkAddress(metadata.jwks_uri);
  return metadata.jwks_uri;
}

async function readKeys(url: string, init: RequestInit): Promise<Response> {
  const response = await boundedFetch(url, init);
  if (response.status !== 200) throw new Error(`${url} answered with status ${response.status}`);
  const set: unknown = await response.json();
  if (!isObject(set) || !Array.isArray(set.keys) || !set.keys.every(isObject)) throw new Error(`${url} has no key set`);
  if (set.keys.length > MOST_KEYS) throw new Error(`${url} has more than ${MOST_KEYS} keys`);
  return Response.json(set);
}

async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`${url} has more than ${MOST_BYTES} bytes`); // the error also ends the download
    chunks.push(chunk);
  }
  const { status } = response;
  return new Response(status === 204 || status >= 300 ? null : Buffer.concat(chunks), {
    status: Math.max(status, 200),
  });
}

function checkAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/[[\]]/g, '')));
  if (isSafe && url.username === '' && url.hash === '') return;
  throw new UsageError('INVALID_OPTION', `"${text}" cannot be the address of an issuer or of its keys`, {
    hint: 'Write an https URL.',
  });
}

export interface JwtOptions extends IssuerKeysOptions {
  /** The `iss` claim of tokens, a URL. */
  issuer: string;
  /** The `aud` claim of tokens: the URL of the gateway. A token for `<audience>/<server>` is valid for that server only. */
  audience: string;
  /** The rights granted by the claims of a token, or undefined for none. Default: the scopes decide. */
  rights?: (claims: JWTPayload) => Omit<Principal, 'name'> | undefined;
  /** Tolerated clock difference. Default: 30 s. */
  clockToleranceMs?: number;
  /** Maximum total characters of cached tokens. Default: 16 Mi. */
  maxRememberedChars?: number;
  /** Current time in milliseconds since 1970. */
  now?: () => number;
}

/** Asymmetric algorithms only: a public key must not be usable as the secret of a symmetric one. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => ['256', '384', '512'].map((bits) => kind + bits));
algorithms.push('EdDSA', 'Ed25519');

const MOST_CHARS = 16 * 1024 * 1024;
/** Maximum time in the cache. Afterwards a token is accepted only if the issuer still publishes the key. */
const LONGEST_MS = 10 * 60_000;
/** OpenID Connect allows subjects of up to 255 characters. */
const MOST_SUBJECT_CHARS = 255;

const keysUnavailable: AuthRefusal = {
  status: 503,
  message: 'Tokens cannot be checked now: the keys of their issuer cannot be read',
};

export function jwt(options: JwtOptions): Auth {
  return new JwtAuth(options);
}

class JwtAuth implements Auth {
  readonly authorizationServers: readonly string[];
  /** The scope that tokens need; undefined if scopes do not determine rights. */
  readonly scope: string | undefined;
  readonly #options: JwtOptions;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;
  /** Verified tokens, oldest first. */
  readonly #verified = new Map<string, { principal: Principal; untilMs: number }>();
  #chars = 0;

  constructor(options: JwtOptions) {
    if (!options.audience)
      throw new UsageError(
        'INVALID_OPTION',
        '`audience` is missing: without it, tokens for other servers would be accepted',
      );
    this.#options = options;
    this.#keys = new IssuerKeys(options.issuer, options);
    this.#now = options.now ?? Date.now;
    this.authorizationServers = [options.issuer];
    this.scope = options.rights ? undefined : SCOPE;
  }

  authenticate(request: AuthRequest): Principal | AuthRefusal | Promise<Principal | AuthRefusal> {
    const token = bearerToken(request);
    if (typeof token !== 'string') return token;
    const known = this.#verified.get(token);
    if (known && known.untilMs > this.#now()) return known.principal;
    if (known) this.#forget(token);
    return isJwt(token) ? this.#verify(token) : wrongToken;
  }

  async #verify(token: string): Promise<Principal | AuthRefusal> {
    const { issuer, clockToleranceMs = 30_000 } = this.#options;
    const { jwtVerify } = await import('jose');
    let claims: JWTPayload;
    try {
      const verified = await jwtVerify(token, this.#keys.get, {
        issuer,
        algorithms,
        clockTolerance: clockToleranceMs / 1000,
        requiredClaims: ['exp', 'sub', 'aud'],
        currentDate: new Date(this.#now()),
      });
      claims = verified.payload;
    } catch (error) {
      if (error instanceof KeysUnavailable) return keysUnavailable;
      return invalid(toError(error).message);
    }
    const granted = this.#principal(claims);
    if (isAuthRefusal(granted)) return granted;
    const principal = { ...granted, expiresMs: claims.exp! * 1000 + clockToleranceMs };
    this.#remember(token, principal);
    return principal;
  }

  #principal(claims: JWTPayload): Principal | AuthRefusal {
    const servers = this.#audience(claims.aud);
    const { sub } = claims;
    if (servers === undefined) return invalid('unexpected "aud" claim value');
    if (typeof sub !== 'string' || sub === '' || sub.length > MOST_SUBJECT_CHARS) {
      return invalid('unexpected "sub" claim value');
    }
    const { rights = (given) => rightsOfScopes(scopesIn(given)) } = this.#options;
    const granted = rights(claims);
    if (!granted) return { status: 403, message: 'The token grants no rights here', error: 'insufficient_scope' };
    // Tokens of the token file have names without a colon, so names cannot collide.
    const principal = { ...granted, name: `jwt:${sub}`, isScoped: this.scope !== undefined };
    return servers === 'all' ? principal : { ...principal, servers: both(servers, granted.servers) };
  }

  /** The servers that a token is valid for. Undefined if it is for another gateway. */
  #audience(aud: string | string[] | undefined): 'all' | string[] | undefined {
    const { audience } = this.#options;
    const given = [aud].flat();
    if (given.includes(audience)) return 'all';
    const below = `${audience.replace(/\/$/, '')}/`;
    const names = given.flatMap((each) =>
      typeof each === 'string' && each.startsWith(below) ? [each.slice(below.length)] : [],
    );
    const servers = names.filter((name) => /^[\w.-]+$/.test(name)); // patterns are not allowed
    return servers.length > 0 ? servers : undefined;
  }

  #remember(token: string, principal: Principal & { expiresMs: number }): void {
    this.#forget(token); // two requests with the token arrived at once
    this.#verified.set(token, { principal, untilMs: Math.min(principal.expiresMs, this.#now() + LONGEST_MS) });
    this.#chars += token.length;
    for (const oldest of this.#verified.keys()) {
      if (this.#chars <= (this.#options.maxRememberedChars ?? MOST_CHARS)) return;
      this.#forget(oldest);
    }
  }

  #forget(token: string): void {
    if (this.#verified.delete(token)) this.#chars -= token.length;
  }
}

/** `why` helps to configure the issuer and reveals nothing about the keys. */
function invalid(why: string): AuthRefusal {
  return { ...wrongToken, message: `The token is not valid: ${why}` };
}

/** A JWT has three parts, and the first is encoded JSON. */
function isJwt(token: string): boolean {
  return token.startsWith('eyJ') && token.split('.').length === 3;
}

function both(servers: string[], granted: readonly string[] | undefined): readonly string[] {
  const globs = granted?.map(globMatcher);
  return globs ? servers.filter((name) => globs.some((matches) => matches(name))) : servers;
}
