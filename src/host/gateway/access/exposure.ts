// Decides whether the gateway may listen on an address. Other machines may reach it only with authentication and TLS, or through a proxy
// that terminates TLS.

import { BlockList, isIP, isIPv6 } from 'node:net';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';

export interface Exposure {
  host: string;
  /** How clients are authenticated. */
  checks: 'auth' | 'owner token' | 'nothing';
  hasTls: boolean;
  behindProxy: boolean;
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

export function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || (isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::]');
}

/** Throws if listening with these options is insecure. */
export function checkExposure({ host, checks, hasTls, behindProxy, publicUrl }: Exposure): void {
  const isLocal = isLoopbackHost(host);
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
  if (isLocal && !behindProxy && publicUrl === undefined) return;
  const where = isLocal ? 'Behind a proxy the gateway' : `${host || 'Every address of this machine'}`;
  const isReachable = `${where} can be reached by other machines`;
  if (checks === 'nothing' || (checks === 'owner token' && !isLocal)) {
    const hint = `Make tokens with \`${ownCommand} token add\`, or accept tokens from an issuer: --jwt-issuer, --jwt-audience. In a program, set \`auth\`.`;
    throw new UsageError('INSECURE_ADDRESS', `${isReachable}, and clients are not authenticated`, { hint });
  }
  if (!isLocal && !hasTls && !behindProxy) {
    const hint =
      'Give a certificate (--tls-cert, --tls-key). If a proxy terminates TLS: --behind-proxy --public-url https://….';
    throw new UsageError('INSECURE_ADDRESS', `${isReachable}, and tokens would be sent unencrypted`, { hint });
  }
  if (publicUrl === undefined && (behindProxy || isWildcard(host))) {
    const why = behindProxy ? 'clients use the URL of the proxy' : `${where} has many names`;
    throw new UsageError('INVALID_OPTION', `The URL that clients use is not known: ${why}`, {
      hint: 'Set it: --public-url https://gateway.example.org. Requests with another Host are refused.',
    });
  }
}

export function checkPublicUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.href === `${url.origin}/` && !text.endsWith('?') && !text.endsWith('#')) return;
  throw new UsageError('INVALID_OPTION', `"${text}" is not the public URL of a gateway`, {
    hint: 'Write https, a name and optionally a port, without a path: https://gateway.example.org.',
  });
}

/** Throws if the text is not an origin as browsers write it. */
export function checkOrigin(text: string): void {
  if (URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text) return;
  throw new UsageError('INVALID_OPTION', `"${text}" is not an origin`, {
    hint: 'Write a scheme, a name and optionally a port, without a path: https://app.example.org.',
  });
}

/** Accepted values of `Host`. */
export function ownHosts(host: string, port: number, publicUrl: string | undefined): Set<string> {
  const names = isLoopbackHost(host) || isWildcard(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  if (!isWildcard(host)) names.push(bracketed(host).toLowerCase());
  const hosts = new Set(names.map((name) => `${name}:${port}`));
  if (publicUrl !== undefined) hosts.add(new URL(publicUrl).host);
  return hosts;
}

export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
