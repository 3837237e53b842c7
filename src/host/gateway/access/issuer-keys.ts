// The public keys of a token issuer: from a given address, or found through its metadata (RFC 8414, OpenID Connect Discovery). They are
// fetched over HTTPS only, except from loopback addresses. Redirects are not followed, and responses are bounded.

import type { JWTVerifyGetKey } from 'jose';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { isLoopbackHost } from './exposure.ts';

/** The keys cannot be fetched, so tokens can be neither accepted nor refused. */
export class KeysUnavailable extends Error {}

const MOST_BYTES = 1024 * 1024;
/** Each lookup reads all keys. */
const MOST_KEYS = 1000;
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

  /** The key lookup for `jwtVerify` of jose. Known keys are found without the issuer. Other errors are about the token or its key. */
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

  /** A request to the issuer. If it fails, further ones fail until the pause is over. */
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

/** Returns a response that jose can use. */
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
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/[[\]]/g, '')));
  if (isSafe && url.username === '' && url.hash === '') return;
  throw new UsageError('INVALID_OPTION', `"${text}" cannot be the address of an issuer or of its keys`, {
    hint: 'Write an https URL.',
  });
}
