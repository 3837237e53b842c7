// The target of a connection's requests: its address and the request options derived from it once.

import { type Agent, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { hasAuthorization, hasCredentials, isLoopbackUrl, takeCredentials } from '../../../base/credentials.ts';
import { UsageError } from '../../../base/errors.ts';
import type { HttpClientOptions } from './http-client-options.ts';

export class Endpoint {
  readonly url: URL;
  readonly isTls: boolean;
  readonly send: typeof requestHttp;
  /** Request options without method and headers. */
  readonly options: RequestOptions;

  constructor(url: URL, agent: Agent, ca: HttpClientOptions['ca']) {
    this.url = url;
    this.isTls = url.protocol === 'https:';
    this.send = this.isTls ? requestHttps : requestHttp;
    this.options = {
      agent,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (this.isTls ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      ...(this.isTls && ca !== undefined && { ca }),
    };
  }
}

export function serverUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('INVALID_OPTION', 'url: the address of a server begins with http:// or https://');
  }
  url.hash = '';
  return url;
}

/** The URL for display. The query, user and password are hidden because they may contain credentials. */
export function urlText(url: URL): string {
  const query = url.search === '' ? '' : '?…';
  return `${url.origin}${url.pathname}${query}`;
}

/** Returns true if a redirect may be followed: to the same origin, or from http to https on the same host. */
export function isSafeRedirect(from: URL, to: URL): boolean {
  if (hasCredentials(to)) return false;
  if (to.origin === from.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && (to.port === '' || to.port === from.port);
}

export function isLoopbackEndpoint(url: URL): boolean {
  return isLoopbackUrl(url) || url.hostname.endsWith('.localhost');
}

/** Moves the user and password of the URL into a header. */
export function withCredentials(url: URL, headers: Readonly<Record<string, string>>) {
  const taken = takeCredentials(url);
  if (!taken) return { all: headers, credentials: [] };
  const { encodedPassword, password, basic } = taken;
  const authorization = `Basic ${basic}`;
  const all = hasAuthorization(Object.keys(headers)) ? headers : { ...headers, authorization };
  return { all, credentials: [encodedPassword, password, authorization] };
}

/** Removes the query and the credentials, because a query may contain a credential. */
export function safeLocation(location: string | undefined): string | undefined {
  return location?.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
}
