// Cross-origin requests of allowed pages: answers preflights and sets the headers that let a page read responses.

import type { HttpExchange } from './exchange.ts';

/** Must be called only for an allowed Origin. Returns true if the request was a preflight, which is then answered. */
export function answerPage(exchange: HttpExchange, origin: string): boolean {
  exchange.setHeader('access-control-allow-origin', origin);
  exchange.setHeader('vary', 'origin');
  exchange.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after');
  if (exchange.method !== 'OPTIONS' || exchange.header('access-control-request-method') === undefined) return false;
  // The parameter headers of tools (Mcp-Param-…) are unknown here, so the requested names are allowed.
  const headers = exchange.header('access-control-request-headers');
  exchange.answer(204, {
    'access-control-allow-methods': 'POST, GET, DELETE',
    ...(headers !== undefined && { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  });
  return true;
}
