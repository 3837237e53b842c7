// The public keys of a token issuer: from a given address, or found through its metadata (RFC 8414, OpenID Connect Discovery). They are
// fetched over HTTPS only, except from loopback addresses. Redirects are not followed, and responses are bounded.

import type { JWTVerifyGetKey } from 'jose';
import { type Clock, systemClock } from '../../base/clock.ts';
import { toError, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { isLoopback } from './exposure.ts';

/** The keys cannot be fetched, so tokens can be neither accepted nor refused. */
export class KeysUnavailable extends Error {}

const MOST_BYTES = 1024 * 1024;
const TIMEOUT_MS = 5000;
/** Pause after a failed fetch, so that clients cannot cause repeated requests to an issuer. */
const PAUSE_MS = 5000;

export interface IssuerKeysOptions {
  /** URL of the key set. Default: found through the issuer's metadata. */
  jwks?: string;
  /** Called if the keys cannot be read. Default: a process warning. */
  onError?: (error: Error) => void;
  clock?: Clock;
}

export class IssuerKeys {
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

  /** The key lookup for `jwtVerify` of jose. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    if (this.#failure && this.#failure.untilMs > this.#clock.nowMs()) throw this.#failure.error;
    try {
      this.#keys ??= this.#open();
      const keys = await this.#keys;
      return await keys(header, token);
    } catch (error) {
      throw this.#failed(error);
    }
  };

  async #open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    this.#url ??= await discoverKeys(this.#issuer);
    return createRemoteJWKSet(new URL(this.#url), { timeoutDuration: TIMEOUT_MS, [customFetch]: boundedFetch });
  }

  /** Errors about the token itself are returned unchanged. */
  #failed(thrown: unknown): Error {
    const error = toError(thrown);
    const code = (error as { code?: string }).code ?? '';
    if (code.startsWith('ERR_J') && !keyErrors.has(code)) return error;
    if (this.#url === undefined) this.#keys = undefined;
    const unavailable = new KeysUnavailable(`The keys of ${this.#issuer} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
    this.#failure = { error: unavailable, untilMs: this.#clock.nowMs() + PAUSE_MS };
    this.#onError(unavailable);
    return unavailable;
  }
}

/** Errors of jose about the issuer's response. */
const keyErrors = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT', 'ERR_JWK_INVALID']);

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Tries the locations in the order of the specification. The metadata must name this issuer. */
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
  if (!isObject(metadata) || metadata.issuer !== issuer) throw new Error('it is the metadata of another issuer');
  if (typeof metadata.jwks_uri !== 'string') throw new Error('it has no jwks_uri');
  checkAddress(metadata.jwks_uri);
  return metadata.jwks_uri;
}

async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`${url} has more than ${MOST_BYTES} bytes`); // also ends the download
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
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/[[\]]/g, '')));
  if (isSafe && url.username === '' && url.hash === '') return;
  throw new UsageError('INVALID_OPTION', `"${text}" cannot be the address of an issuer or of its keys`, {
    hint: 'Write an https URL.',
  });
}
