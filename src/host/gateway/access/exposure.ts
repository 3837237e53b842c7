// Decides whether the gateway may listen on an address. Other machines may reach it only with authentication and TLS, or through a proxy
// that terminates TLS. This file only checks options and does not listen.

import { BlockList, isIP, isIPv6 } from 'node:net';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';

export interface Exposure {
  /** The address or host name to listen on. */
  host: string;
  /** How clients are checked: by `auth`, by the owner's token, or not at all. */
  checks: 'auth' | 'owner token' | 'nothing';
  hasTls: boolean;
  /** A proxy in front of the gateway terminates TLS. */
  behindProxy: boolean;
  /** The origin that clients use. */
  publicUrl: string | undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A name other than `localhost` may resolve to any address. */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** True if the address means all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || (isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::]');
}

/** Throws if listening with these options is insecure. */
export function checkExposure({ host, checks, hasTls, behindProxy, publicUrl }: Exposure): void {
  const isLocal = isLoopbackHost(host);
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
  if (isLocal && !behindProxy && publicUrl === undefined) return;
  const where = isLocal ? 'Behind a proxy the gateway' : `${host || 'Every address of this machine'}`;
  if (checks === 'nothing' || (checks === 'owner token' && !isLocal)) {
    throw new UsageError(
      'INSECURE_ADDRESS',
      `${where} can be reached by other machines, and clients are not authenticated`,
      {
        hint: `Make tokens with \`${ownCommand} token add\`, or accept those of an issuer: --jwt-issuer, --jwt-audience. In a program: \`auth\`.`,
      },
    );
  }
  if (!isLocal && !hasTls && !behindProxy) {
    throw new UsageError(
      'INSECURE_ADDRESS',
      `${where} can be reached by other machines, and tokens would be sent unencrypted`,
      {
        hint: 'Give a certificate (--tls-cert, --tls-key), or say that a proxy ends TLS: --behind-proxy --public-url https://….',
      },
    );
  }
  if (publicUrl === undefined && (behindProxy || isWildcard(host))) {
    throw new UsageError(
      'INVALID_OPTION',
      `The URL that clients use is not known: ${behindProxy ? 'it is that of the proxy' : `${where} has many names`}`,
      {
        hint: 'Name it: --public-url https://gateway.example.org. Requests with another Host are refused.',
      },
    );
  }
}

/** Throws if clients could not use the URL. */
export function checkPublicUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.href === `${url.origin}/` && !text.endsWith('?') && !text.endsWith('#')) return;
  throw new UsageError('INVALID_OPTION', `"${text}" is not the public URL of a gateway`, {
    hint: 'Write https, a name and perhaps a port, without a path: https://gateway.example.org.',
  });
}

/** Throws if the text is not an origin as browsers write it. */
export function checkOrigin(text: string): void {
  if (URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text) return;
  throw new UsageError('INVALID_OPTION', `"${text}" is not an origin`, {
    hint: 'Write the scheme, the name and perhaps the port, without a path: https://app.example.org.',
  });
}

/** The values of `Host` that identify this server. */
export function ownHosts(host: string, port: number, publicUrl: string | undefined): Set<string> {
  const names = isLoopbackHost(host) || isWildcard(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  if (!isWildcard(host)) names.push(bracketed(host).toLowerCase());
  const hosts = new Set(names.map((name) => `${name}:${port}`));
  if (publicUrl !== undefined) hosts.add(new URL(publicUrl).host);
  return hosts;
}

/** The host as it appears in a URL. */
export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
