// `up --http`: the servers of the host over HTTP, for the clients that have a token.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import type { Auth } from '../../doors/access/auth.ts';
import { defaultTokenFile, readTokenFile } from '../../doors/access/token-file.ts';
import { tokens } from '../../doors/access/tokens.ts';
import { type HttpServing, serveHttp } from '../../doors/http/serve-http.ts';
import type { Host } from '../../host/host.ts';
import { replacePrivately } from '../../process/files/private-file.ts';
import { hostMetrics, whyNotReady } from './host-metrics.ts';

export interface HttpAddress {
  host: string | undefined;
  port: number;
}

/** `PORT`, `HOST:PORT` or `[::1]:PORT`. */
export function readHttpAddress(text: string): HttpAddress {
  const [, host, digits] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError('INVALID_OPTION', `"${text}" is not an address`, {
      hint: 'Write a port, or a host and a port: --http 8080, --http 127.0.0.1:8080.',
    });
  }
  return { host: host?.replace(/^\[(.*)\]$/, '$1'), port };
}

export interface ClientOptions {
  /** The file of `standpipe token`, unless given. */
  tokens: string | undefined;
  /** For the owner's token, where there is no file of tokens. */
  ownerFile: string;
}

export interface HostServing extends HttpServing {
  /** Who can connect, for people. */
  readonly clients: string;
}

export async function serveHost(
  host: Host,
  { host: address, port }: HttpAddress,
  options: ClientOptions,
  note: (text: string) => void,
): Promise<HostServing> {
  const known = (name: string | undefined) => name === undefined || host.names.includes(name);
  const { auth, token, clients } = findClients(options, note);
  const serving = await serveHttp((name) => (known(name) ? host.service(name) : undefined), {
    port,
    host: address,
    auth,
    token,
    metrics: hostMetrics(host),
    notReady: () => whyNotReady(host),
  });
  return { ...serving, clients };
}

interface Clients {
  auth?: Auth;
  token?: string;
  clients: string;
}

/** The owner's token is used only where there is no file of tokens: one that was removed must not be replaced by it. */
function findClients({ tokens: file, ownerFile }: ClientOptions, note: (text: string) => void): Clients {
  const used = file ?? defaultTokenFile();
  const entries = readTokenFile(used);
  if (file === undefined && entries === undefined) {
    return { token: keptToken(ownerFile), clients: `The token is in ${ownerFile}` };
  }
  const onError = (error: Error) => note(`${error.message}. The tokens that were read before stay valid.`);
  const clients =
    entries?.length === 0
      ? `${used} has no tokens: make one with \`standpipe token add\``
      : `The tokens are those of ${used}`;
  return { auth: tokens(used, { onError }), clients };
}

/** It stays the same from one start to the next, so that clients keep their settings. */
function keptToken(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim();
    if (/^[\w-]{32,}$/.test(kept)) return kept;
  } catch {
    // there is none yet
  }
  const token = randomBytes(24).toString('base64url');
  replacePrivately(file, `${token}\n`);
  return token;
}
