// Connections that cost something and bring nothing: without a request, with headers or a body that come too slowly, with an
// answer that is not read, or from a client that is gone without a word. Each is closed after a time.

import type { Server, ServerOptions } from 'node:http';

export interface ConnectionOptions {
  /** How many connections may be open; further ones are closed at once. 20,000 unless given. */
  maxConnections?: number;
  /** How long a new connection may take to send the headers of a request. 15 s unless given. */
  headersTimeoutMs?: number;
  /** How long a request may take to arrive whole. 2 minutes unless given. */
  requestTimeoutMs?: number;
  /** How long nothing may move on a connection while an answer waits on it. 2 minutes unless given. */
  stalledMs?: number;
}

/** How often Node looks for requests that take too long. */
const CHECK_MS = 5000;
/** How long a connection is quiet before the system asks whether the other end is still there. */
const PROBE_MS = 30_000;

/** How long a connection stays open for a next request: longer than proxies and clients keep theirs, which then close it. */
const KEEP_OPEN_MS = 75_000;

/** For `createServer` of `node:http` and `node:https`. */
export function connectionOptions(options: ConnectionOptions): ServerOptions {
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 120_000 } = options;
  const headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);
  return {
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersTimeout),
    keepAliveTimeout: KEEP_OPEN_MS,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
    noDelay: true,
    // Of a header that must not be repeated Node takes the first, and a proxy may have taken another one. Joined, it is refused.
    joinDuplicateHeaders: true,
  };
}

/** `keepAliveMs`: how often something is written on a quiet connection that waits for an answer. */
export function limitConnections(listener: Server, options: ConnectionOptions, keepAliveMs: number): void {
  const { maxConnections = 20_000, stalledMs = 120_000 } = options;
  listener.maxConnections = maxConnections;
  listener.timeout = Math.max(stalledMs, 2 * keepAliveMs);
  // Node drops headers beyond a count, as if they had not been sent: the checks would not see them. Their size is limited.
  listener.maxHeadersCount = 0;
}
