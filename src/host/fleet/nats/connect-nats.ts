// Connects to NATS. The first connection is tried once at each address; a lost connection is retried without a limit.

import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Authenticator, NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { takeCredentials } from '../../../base/credentials.ts';
import { UsageError } from '../../../base/errors.ts';
import { explainFailure } from './explain-failure.ts';
import { NatsLink } from './nats-link.ts';

export interface NatsConnectOptions {
  /** `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; with `USER:PASSWORD@` or `TOKEN@` if NATS requires one. */
  servers: readonly string[];
  name: string;
  /** A file with the credentials that `nsc` writes, an NKEY seed, `USER:PASSWORD`, or a token. */
  credentials?: string | undefined;
  /** PEM files: certificates of trusted authorities, and the client's certificate with its key. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
  /** Limit for each server to accept the connection. Default: 5 s. */
  connectTimeoutMs?: number | undefined;
  clock?: Clock | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Delays are random between this and twice this, so that a thousand nodes do not reconnect at once. */
const RECONNECT_WAIT_MS = 250;
/** A connection whose peer has disappeared silently is given up after three intervals. */
const PING_INTERVAL_MS = 1_000;

/** `inboxPrefix`: prefix of the subjects where answers to this program's requests arrive. */
export async function connectNats(
  options: NatsConnectOptions,
  packages: NatsPackages,
  inboxPrefix: string,
): Promise<NatsLink> {
  const addresses = readNatsAddresses(options.servers);
  const { servers, text, credentials } = addresses;
  const tls = readTls(options, addresses);
  const settings: NodeConnectionOptions = {
    servers,
    name: options.name,
    inboxPrefix,
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_WAIT_MS,
    reconnectJitterTLS: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    // Credentials may be replaced while the connection is lost.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    ...credentials,
    ...(tls && { tls }),
  };
  if (options.credentials !== undefined) settings.authenticator = credentialsFile(options.credentials, packages);
  let connection: NatsConnection;
  try {
    connection = await packages.transport.connect(settings);
  } catch (error) {
    const isSilent = tls && error instanceof packages.transport.TimeoutError;
    throw explainFailure(isSilent ? noHandshake(error) : error, packages, text, 'The connection to NATS');
  }
  return new NatsLink(connection, packages, { where: text, inboxPrefix, clock: options.clock ?? systemClock });
}

/**
 * Explains a timeout of TLS: nats.js keeps waiting if NATS has closed the connection because it requires a client
 * certificate.
 */
function noHandshake(cause: Error): Error {
  return new Error('TLS: the server did not accept the connection in time', { cause });
}

/**
 * Reads the file at each connection. If it is invalid, the last credentials stay in use: nats.js gives up if an authenticator
 * throws.
 */
function credentialsFile(path: string, packages: NatsPackages): Authenticator {
  let last = readCredentials(path, packages);
  return (nonce) => {
    try {
      const read = readCredentials(path, packages);
      const signed = read(nonce);
      last = read;
      return signed;
    } catch {
      return last(nonce);
    }
  };
}

function readCredentials(path: string, { transport }: NatsPackages): Authenticator {
  const bytes = readFile(path, 'The credentials file of NATS');
  const text = new TextDecoder().decode(bytes).trim();
  if (text.includes('BEGIN NATS USER JWT')) return transport.credsAuthenticator(bytes);
  if (/^SU[A-Z2-7]{56}$/.test(text)) return transport.nkeyAuthenticator(new TextEncoder().encode(text));
  if (text === '' || /\s/.test(text)) {
    throw new UsageError('INVALID_OPTION', `The credentials file of NATS has no credentials: ${path}`, {
      hint: 'The file must contain what nsc writes, an NKEY seed, USER:PASSWORD, or a token.',
    });
  }
  const colon = text.indexOf(':');
  if (colon < 0) return transport.tokenAuthenticator(text);
  return transport.usernamePasswordAuthenticator(text.slice(0, colon), text.slice(colon + 1));
}

function readTls(
  { tls }: NatsConnectOptions,
  { isTls, hosts }: NatsAddresses,
): NodeConnectionOptions['tls'] | undefined {
  if (!tls && !isTls) return undefined;
  for (const path of [tls?.ca, tls?.cert, tls?.key])
    if (path !== undefined) readFile(path, 'A certificate or key for NATS');
  return {
    ...(tls?.ca === undefined ? {} : { caFile: tls.ca }),
    ...(tls?.cert === undefined ? {} : { certFile: tls.cert }),
    ...(tls?.key === undefined ? {} : { keyFile: tls.key }),
    // nats.js connects to numeric addresses without a name, and Node.js then compares the certificate with `localhost`.
    checkServerIdentity(name: string, certificate: PeerCertificate): Error | undefined {
      const names = name === 'localhost' && !hosts.includes(name) ? hosts : [name];
      const errors = names.map((each) => checkServerIdentity(each, certificate));
      return errors.includes(undefined) ? undefined : errors[0];
    },
  } as NodeConnectionOptions['tls'];
}

function readFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UsageError('INVALID_OPTION', `${what} cannot be read: ${path}`, {
      hint: 'Correct the path, or the permissions of the file.',
      cause,
    });
  }
}

type Transport = typeof import('@nats-io/transport-node');
type Kv = typeof import('@nats-io/kv');
type JetStream = typeof import('@nats-io/jetstream');

export interface NatsPackages {
  transport: Transport;
  kv: Kv;
  jetstream: JetStream;
}

/** The packages are optional: programs without a fleet do not have them. */
export async function loadNats(): Promise<NatsPackages> {
  try {
    const [transport, kv, jetstream] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/kv'),
      import('@nats-io/jetstream'),
    ]);
    return { transport, kv, jetstream };
  } catch (cause) {
    throw new UsageError('NATS_NOT_INSTALLED', 'A fleet needs packages of NATS that are not installed', {
      hint: 'Install them alongside standpipe: npm install @nats-io/transport-node @nats-io/kv @nats-io/jetstream',
      cause: cause as Error,
    });
  }
}

export interface NatsAddresses {
  servers: string[];
  /** The addresses for messages: `nats://host:port`. */
  text: string;
  isTls: boolean;
  hosts: string[];
  credentials: { user?: string; pass?: string; token?: string };
}

const DEFAULT_PORT = '4222';

/** nats.js does not support user and password in an address, and misreads its port. */
export function readNatsAddresses(addresses: readonly string[]): NatsAddresses {
  const urls = addresses.map(readUrl);
  const [first] = urls;
  if (!first) throw new UsageError('INVALID_OPTION', 'No address of a NATS server was given');
  if (urls.some(({ username, password }) => username !== first.username || password !== first.password)) {
    throw new UsageError('INVALID_OPTION', 'The addresses of NATS servers have different credentials', {
      hint: 'All servers of a NATS cluster accept the same credentials: give the same ones in each address, or a credentials file.',
    });
  }
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`);
  return {
    servers,
    text: urls.map(({ protocol }, i) => `${protocol}//${servers[i]}`).join(', '),
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    hosts: urls.map(({ hostname }) => hostname.replace(/^\[|\]$/g, '')),
    credentials: credentialsOf(first),
  };
}

/** In NATS, a user without a password is a token. */
function credentialsOf(url: URL): NatsAddresses['credentials'] {
  const given = takeCredentials(url);
  if (!given) return {};
  return given.password === '' ? { token: given.user } : { user: given.user, pass: given.password };
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '') return url;
  // The address is not quoted, because it may contain a password.
  throw new UsageError('INVALID_OPTION', 'An address of a NATS server is invalid', {
    hint: 'Use nats://HOST[:PORT] or tls://HOST[:PORT].',
  });
}
