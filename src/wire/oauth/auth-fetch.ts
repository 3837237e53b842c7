// HTTP requests for metadata and tokens. The server that requires a token names the authorization server and may be hostile, so addresses,
// time and bytes are limited. Redirects are not followed here; the official client follows them within the same origin.

import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import { hasCredentials, isLoopbackUrl } from '../../base/credentials.ts';
import { PeerError, toError } from '../../base/errors.ts';
import { Connector } from '../transport/http/connector.ts';
import type { HttpClientOptions } from '../transport/http/http-client-options.ts';
import { urlWithoutQuery } from './login.ts';

export interface AuthFetchOptions {
  /** The server for which tokens are requested. */
  server: URL;
  /** Limit for one request. Default: 10 s. */
  timeoutMs?: number | undefined;
  /** Limit for one response. Default: 1 MiB. */
  maxBytes?: number | undefined;
  /** The same option as for requests to the server. */
  ca?: HttpClientOptions['ca'];
  clock?: Clock | undefined;
}

export type AuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

export function authFetch(options: AuthFetchOptions): AuthFetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    refuseInsecure(url, options.server);
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    const connector = new Connector({ url, ca: options.ca }); // uses a proxy if the environment names one
    const endpoint = await connector.endpoint(url);
    return new Promise<Response>((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers));
      if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
      const sent = endpoint.send({ ...endpoint.options, method: init.method ?? 'GET', headers });
      const { timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
      const fail = (why: string, cause?: unknown) => {
        timer.cancel();
        sent.destroy();
        reject(authFailed(`${urlWithoutQuery(url)} ${why}`, cause));
      };
      const timer = clock.after(timeoutMs, () => fail(`did not answer within ${timeoutMs / 1000} s`));
      sent.once('error', (error) => fail(`cannot be reached: ${error.message}`, error));
      sent.once('response', (response) => {
        readBody(response, options.maxBytes ?? MAX_BYTES)
          .then((bytes) => {
            resolve(asResponse(response, bytes));
            timer.cancel();
          })
          .catch((error: unknown) => fail(toError(error).message));
      });
      sent.end(body);
    }).finally(() => connector.destroy());
  };
}

/** TLS is required, unless both addresses are on this machine. */
export function refuseInsecure(url: URL, server: URL): void {
  if (hasCredentials(url)) throw authFailed(`${urlWithoutQuery(url)} must not contain credentials`);
  if (url.protocol === 'https:') return;
  if (url.protocol === 'http:' && isLoopbackUrl(url) && isLoopbackUrl(server)) return;
  const shown = url.protocol === 'http:' ? urlWithoutQuery(url) : `An address of the scheme ${url.protocol}`;
  throw authFailed(`${shown} is not used: authorization requires https`);
}

export function authFailed(message: string, cause?: unknown): PeerError {
  return new PeerError('AUTHORIZATION_FAILED', message, {
    hint: 'Check the URL of the server, and whether its authorization server is reachable.',
    cause,
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function asResponse({ statusCode = 500, headers }: IncomingMessage, bytes: Buffer): Response {
  if (statusCode < 200 || statusCode > 599) throw new Error(`answered with HTTP status ${statusCode}`);
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const hasBody = ![204, 205, 304].includes(statusCode);
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status: statusCode, headers: given });
}
