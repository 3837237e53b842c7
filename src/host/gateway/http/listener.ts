// The Node.js server that receives requests: plain HTTP, or TLS with a certificate that can be replaced while listening. Timeouts close
// unproductive connections.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toError, UsageError } from '../../../base/errors.ts';

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
/** TCP keep-alive delay on an idle connection. It detects clients that disappeared silently. */
const PROBE_MS = 30_000;
/** How long an idle connection stays open. This is longer than the limits of proxies and clients, so that they close the connection first. */
const KEEP_OPEN_MS = 75_000;

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
    // Node.js would take the first value of a repeated header, and a proxy may use another. The joined value is refused.
    joinDuplicateHeaders: true,
  };
}

/** `keepAliveMs`: interval of writes on a quiet connection with a pending response. */
export function limitConnections(listener: Server, options: ConnectionOptions, keepAliveMs: number): void {
  const { maxConnections = 20_000, stalledMs = 120_000 } = options;
  listener.maxConnections = maxConnections;
  listener.timeout = Math.max(stalledMs, 2 * keepAliveMs);
  // The number of headers is unlimited: the checks would not see headers that Node.js drops. The total size of headers
  // is limited.
  listener.maxHeadersCount = 0;
}

export interface Tls {
  /** PEM: the certificate, followed by the certificates of its issuers. */
  cert: string | Buffer;
  key: string | Buffer;
}

/** Limit for the TLS handshake, equal to the limit for request headers. */
const HANDSHAKE_MS = 15_000;

export async function newListener(
  tls: Tls | undefined,
  options: ServerOptions,
  handle: RequestListener,
): Promise<Server | TlsServer> {
  if (!tls) return createServer(options, handle);
  const { createServer: createTlsServer } = await import('node:https');
  return usable(() => createTlsServer({ ...options, ...tls, handshakeTimeout: HANDSHAKE_MS }, handle));
}

/** Applies to new connections. If the new certificate is unusable, the previous one stays in use. */
export function renewTls(listener: Server | TlsServer, tls: Tls): void {
  if (!('setSecureContext' in listener))
    throw new UsageError('INVALID_OPTION', 'The gateway serves without TLS: start it with `tls`');
  usable(() => listener.setSecureContext(tls));
}

/** Resolves to the port. */
export async function listenOn(listener: Server | TlsServer, host: string, port: number): Promise<number> {
  listener.listen(port, host || undefined);
  await once(listener, 'listening').catch((error: Error) => {
    throw new UsageError('INVALID_OPTION', `Cannot listen on ${host}:${port}: ${error.message}`, {
      hint: 'Choose another port.',
      cause: error,
    });
  });
  listener.on('error', (error) => process.emitWarning(error)); // without a listener, an error would end the process
  return (listener.address() as AddressInfo).port;
}

function usable<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw new UsageError('INVALID_OPTION', `The certificate cannot be used: ${toError(error).message}`, {
      hint: 'Both files must be PEM, and the key must belong to the first certificate.',
      cause: error,
    });
  }
}
