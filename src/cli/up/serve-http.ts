// `up --http`: the servers of the host over HTTP. The token is in a file that only its owner can read, and stays the same
// from one start to the next, so that clients keep their settings.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import { type HttpServing, serveHttp } from '../../doors/http/serve-http.ts';
import type { Host } from '../../host/host.ts';
import { replacePrivately } from '../../process/files/private-file.ts';

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

export async function serveHost(
  host: Host,
  { host: address, port }: HttpAddress,
  tokenFile: string,
): Promise<HttpServing> {
  const known = (name: string | undefined) => name === undefined || host.names.includes(name);
  return serveHttp((name) => (known(name) ? host.service(name) : undefined), {
    port,
    host: address,
    token: keptToken(tokenFile),
  });
}

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
