// Sends JSON responses with the security headers of every response.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpStatusOf } from './http-problem.ts';

export const safeHeaders: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

export function sendJson(response: ServerResponse, status: number, value: unknown, headers?: Record<string, string>) {
  const body = JSON.stringify(value ?? null);
  response.writeHead(status, {
    ...safeHeaders,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

export function respondError(request: IncomingMessage, response: ServerResponse, thrown: unknown, body: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // The rest of an unwanted body is not read, so the connection is closed after the response.
  sendJson(response, httpStatusOf(thrown), body, request.complete ? {} : { connection: 'close' });
}
