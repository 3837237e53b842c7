// `jwt({ issuer, audience })` authenticates clients with an access token of an issuer (OAuth 2.1). The token is verified here and not
// passed on. Verified tokens are cached, so that a repeated request costs one table lookup.

import type { JWTPayload } from 'jose';
import { toError, UsageError } from '../../../base/errors.ts';
import { globMatcher } from '../../../base/glob.ts';
import type { Principal } from '../principal.ts';
import { type Auth, type AuthRefusal, type AuthRequest, bearerToken, isAuthRefusal, wrongToken } from './auth.ts';
import { IssuerKeys, type IssuerKeysOptions, KeysUnavailable } from './issuer-keys.ts';
import { rightsOfScopes, SCOPE, scopesIn } from './scopes.ts';

export interface JwtOptions extends IssuerKeysOptions {
  /** The URL in the `iss` claim of tokens. */
  issuer: string;
  /**
   * The `aud` claim of tokens: the URL of the gateway. A token for `<audience>/<server>` is valid for that server only.
   */
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
/** Maximum time in the cache. Afterwards the issuer must still publish the key. */
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
  /** Undefined if scopes do not determine rights. */
  readonly scope: string | undefined;
  readonly #options: JwtOptions;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #verified = new Map<string, { principal: Principal; untilMs: number }>();
  #chars = 0;

  constructor(options: JwtOptions) {
    if (!options.audience)
      throw new UsageError('INVALID_OPTION', 'An audience is needed: tokens for others are refused');
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
    if (!granted) return { status: 403, message: 'The token allows nothing here', error: 'insufficient_scope' };
    // Tokens of the token file have names without a colon, so names cannot collide.
    const principal = { ...granted, name: `jwt:${sub}`, isScoped: this.scope !== undefined };
    return servers === 'all' ? principal : { ...principal, servers: both(servers, granted.servers) };
  }

  /** The servers that a token is valid for, or undefined if it is for none of ours. */
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

/** The reason helps to configure the issuer and reveals nothing about the keys. */
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
