// The server of Node that receives the requests: plain HTTP, or TLS with a certificate that can be renewed while it listens.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toError, UsageError } from '../../base/errors.ts';

/** In PEM. */
export interface Tls {
  /** The certificate, followed by those of its issuers. */
  cert: string | Buffer;
  key: string | Buffer;
}

/** How long a client may take to agree on keys: as long as for the headers of a request. */
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

/** For new connections. The certificate that was used before stays where the new one cannot be used. */
export function renewTls(listener: Server | TlsServer, tls: Tls): void {
  if (!('setSecureContext' in listener))
    throw new UsageError('INVALID_OPTION', 'It serves without TLS: start it with `tls`');
  usable(() => listener.setSecureContext(tls));
}

/** Returns the port. */
export async function listenOn(listener: Server | TlsServer, host: string, port: number): Promise<number> {
  listener.listen(port, host || undefined);
  await once(listener, 'listening').catch((error: Error) => {
    throw new UsageError('INVALID_OPTION', `Cannot listen on ${host}:${port}: ${error.message}`, {
      hint: 'Choose another port.',
      cause: error,
    });
  });
  listener.on('error', (error) => process.emitWarning(error)); // without a listener it would end the process
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
