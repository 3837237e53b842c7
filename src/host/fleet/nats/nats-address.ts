// Parses addresses of NATS servers: nats.js does not support user and password in an address, and misreads the port if they are
// present. The text for messages contains no credentials.

import { takeCredentials } from '../../../base/credentials.ts';
import { UsageError } from '../../../base/errors.ts';

export interface NatsAddresses {
  /** `host:port`. */
  servers: string[];
  /** For messages: `nats://host:port`. */
  text: string;
  /** True if at least one address is `tls://`. */
  isTls: boolean;
  hosts: string[];
  user?: string;
  pass?: string;
  token?: string;
}

const DEFAULT_PORT = '4222';

export function readNatsAddresses(addresses: readonly string[]): NatsAddresses {
  const urls = addresses.map(readUrl);
  const [first] = urls;
  if (!first) throw new UsageError('INVALID_OPTION', 'No address of a NATS server was given');
  if (urls.some(({ username, password }) => username !== first.username || password !== first.password)) {
    throw new UsageError('INVALID_OPTION', 'The addresses of NATS servers have different credentials', {
      hint: 'Servers of one NATS accept the same credentials: give the same in each address, or a credentials file.',
    });
  }
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`);
  return {
    servers,
    text: urls.map(({ protocol }, i) => `${protocol}//${servers[i]}`).join(', '),
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    hosts: urls.map(({ hostname }) => hostname.replace(/^\[|\]$/g, '')),
    ...credentialsOf(first),
  };
}

/** In NATS, a user without a password is a token. */
function credentialsOf(url: URL): Pick<NatsAddresses, 'user' | 'pass' | 'token'> {
  const given = takeCredentials(url);
  if (!given) return {};
  return given.password === '' ? { token: given.user } : { user: given.user, pass: given.password };
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '') return url;
  // Not quoted, because it may contain a password.
  throw new UsageError('INVALID_OPTION', 'An address of a NATS server is invalid', {
    hint: 'Use nats://HOST[:PORT] or tls://HOST[:PORT].',
  });
}
