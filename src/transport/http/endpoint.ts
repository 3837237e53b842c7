// Where requests of one connection go: an address, with what each request to it needs made once.

import { type Agent, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { UsageError } from '../../base/errors.ts';
import type { HttpClientOptions } from './http-client-options.ts';

export class Endpoint {
  readonly url: URL;
  readonly isTls: boolean;
  readonly send: typeof requestHttp;
  /** Without method and headers. */
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

/** For people: without what may be a credential. */
export function urlText(url: URL): string {
  const query = url.search === '' ? '' : '?…';
  return `${url.origin}${url.pathname}${query}`;
}

/** Whether a request may follow there: to the same origin, or from http to https of the same host. */
export function isSafeRedirect(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  if (to.origin === from.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && (to.port === '' || to.port === from.port);
}

const loopback = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/i;

export function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}

/** User and password of the address become a header, and leave the address. */
export function withCredentials(url: URL, headers: Readonly<Record<string, string>>) {
  const { username, password } = url;
  if (username === '' && password === '') return { all: headers, credentials: [] };
  url.username = '';
  url.password = '';
  const plain = unescaped(password);
  const authorization = `Basic ${Buffer.from(`${unescaped(username)}:${plain}`).toString('base64')}`;
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return { all: hasOwn ? headers : { ...headers, authorization }, credentials: [password, plain, authorization] };
}

/** As it is where a percent sign escapes nothing. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A query may hold a credential. */
export function safeLocation(location: string | undefined): string | undefined {
  return location?.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
}
