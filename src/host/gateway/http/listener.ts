// The Node.js server that receives requests: plain HTTP, or TLS with a certificate that can be replaced while listening.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toError, UsageError } from '../../../base/errors.ts';

/** PEM certificate and key. */
export interface Tls {
  /** The certificate, followed by those of its issuers. */
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
    throw new UsageError('INVALID_OPTION', 'It serves without TLS: start it with `tls`');
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
      hint: 'Both files must be PEM, and the key must be that of the first certificate.',
      cause: error,
    });
  }
}
