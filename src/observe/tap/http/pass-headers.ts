// Headers of a forwarded request or response: unchanged and in their order, except hop-by-hop headers and those that contain the
// address.

import type { IncomingMessage } from 'node:http';

/** RFC 9110, 7.6.1: headers that apply to a single connection. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization'],
]);

export type HeaderPair = readonly [name: string, value: string];

/** Requests uncompressed bodies: compressed ones cannot be shown. */
export function requestHeaders(request: IncomingMessage): HeaderPair[] {
  const passed = pairsOf(request).filter(([name]) => !/^(?:host|accept-encoding|expect)$/i.test(name));
  return [...passed, ['Accept-Encoding', 'identity']];
}

/** `local` replaces the origin of the server in Location, so that the host keeps using the tap. */
export function responseHeaders(response: IncomingMessage, server: URL, local: string): string[] {
  return pairsOf(response).flatMap(([name, value]) => {
    const isHere = /^location$/i.test(name) && (value === server.origin || value.startsWith(`${server.origin}/`));
    return [name, isHere ? local + value.slice(server.origin.length) : value];
  });
}

function pairsOf({ rawHeaders, headers }: IncomingMessage): HeaderPair[] {
  const named = new Set(
    (headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const pairs: HeaderPair[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!hopByHop.has(name) && !named.has(name)) pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  }
  return pairs;
}
