// Cross-origin requests of pages that are allowed: what a browser asks before them, and the headers that let a page read answers.

import type { HttpExchange } from './exchange.ts';

/** To be called for an Origin that is allowed. True where the request was a preflight, which is answered. */
export function answerPage(exchange: HttpExchange, origin: string): boolean {
  exchange.setHeader('access-control-allow-origin', origin);
  exchange.setHeader('vary', 'origin');
  exchange.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after');
  if (exchange.method !== 'OPTIONS' || exchange.header('access-control-request-method') === undefined) return false;
  // Those of a tool are not known: Mcp-Param-…
  const headers = exchange.header('access-control-request-headers');
  exchange.answer(204, {
    'access-control-allow-methods': 'POST, GET, DELETE',
    ...(headers !== undefined && { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  });
  return true;
}
