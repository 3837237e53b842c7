// Closes unproductive connections: without a request, with headers or a body that arrive too slowly, with a response that is not read, or
// from a client that disappeared silently. Each has a timeout.

import type { Server, ServerOptions } from 'node:http';

export interface ConnectionOptions {
  /** Maximum number of open connections; further ones are closed immediately. Default: 20,000. */
  maxConnections?: number;
  /** Limit for the headers of a request on a new connection. Default: 15 s. */
  headersTimeoutMs?: number;
  /** Limit for receiving a complete request. Default: 2 minutes. */
  requestTimeoutMs?: number;
  /** Limit without traffic on a connection with a pending response. Default: 2 minutes. */
  stalledMs?: number;
}

/** Interval at which Node.js checks for slow requests. */
const CHECK_MS = 5000;
/** TCP keep-alive delay on an idle connection. */
const PROBE_MS = 30_000;

/** How long an idle connection stays open. Longer than proxies and clients keep theirs, so that they close it first. */
const KEEP_OPEN_MS = 75_000;

/** Options for `createServer` of `node:http` and `node:https`. */
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
    // For a header that must not be repeated, Node.js takes the first value, while a proxy may have used another. The joined value is
    // refused.
    joinDuplicateHeaders: true,
  };
}

/** `keepAliveMs`: interval of writes on a quiet connection with a pending response. */
export function limitConnections(listener: Server, options: ConnectionOptions, keepAliveMs: number): void {
  const { maxConnections = 20_000, stalledMs = 120_000 } = options;
  listener.maxConnections = maxConnections;
  listener.timeout = Math.max(stalledMs, 2 * keepAliveMs);
  // Node.js silently drops headers beyond this count, so the checks would not see them. The total size is limited anyway.
  listener.maxHeadersCount = 0;
}
