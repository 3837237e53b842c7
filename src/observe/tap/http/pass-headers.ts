// Headers of a request or a response that passes through: unchanged and in their order, but for those that belong to one connection
// only, and those that name the address.

import type { IncomingMessage } from 'node:http';

/** RFC 9110, 7.6.1: of one connection. Each side has its own. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization'],
]);

export type HeaderPair = readonly [name: string, value: string];

/** Bodies are asked for as they are: compressed ones cannot be shown. */
export function requestHeaders(request: IncomingMessage): HeaderPair[] {
  const passed = pairsOf(request).filter(([name]) => !/^(?:host|accept-encoding|expect)$/i.test(name));
  return [...passed, ['Accept-Encoding', 'identity']];
}

/** `local` takes the place of the origin of the server, so that the host stays with this address. */
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
