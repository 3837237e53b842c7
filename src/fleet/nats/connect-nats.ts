// Connects to NATS. The first connection is tried once at each address; one that is lost is tried again for ever.

import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { explainFailure } from './explain-failure.ts';
import type { NatsPackages } from './load-nats.ts';
import { type NatsAddresses, readNatsAddresses } from './nats-address.ts';
import { NatsLink } from './nats-link.ts';

export interface ConnectOptions {
  /** `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; with `USER:PASSWORD@` or `TOKEN@` where NATS wants one. */
  servers: readonly string[];
  /** For the monitoring of NATS. */
  name: string;
  /** A credentials file of NATS. It is read at each connection. */
  credentials?: string | undefined;
  /** Files in PEM: certificates of the authorities to trust, and the certificate of the client with its key. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
  clock?: Clock | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Waits are random between this and twice this, so that a thousand nodes do not come back at once. */
const RECONNECT_WAIT_MS = 250;
/** A connection whose other end is gone without a sign is given up after three of these. */
const PING_INTERVAL_MS = 1_000;

/** `inboxPrefix`: where the answers to requests of this program arrive. */
export async function connectNats(
  options: ConnectOptions,
  packages: NatsPackages,
  inboxPrefix: string,
): Promise<NatsLink> {
  const addresses = readNatsAddresses(options.servers);
  const { servers, text, user, pass, token } = addresses;
  const tls = readTls(options, addresses);
  const settings: NodeConnectionOptions = {
    servers,
    name: options.name,
    inboxPrefix,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_WAIT_MS,
    reconnectJitterTLS: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    // Credentials may be replaced while the connection is lost.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    ...(user === undefined ? {} : { user, pass: pass! }),
    ...(token === undefined ? {} : { token }),
    ...(tls && { tls }),
  };
  if (options.credentials !== undefined) settings.authenticator = credentialsFile(options.credentials, packages);
  let connection: NatsConnection;
  try {
    connection = await packages.transport.connect(settings);
  } catch (error) {
    throw explainFailure(error, packages, text, 'The connection to NATS');
  }
  return new NatsLink(connection, packages, { where: text, inboxPrefix, clock: options.clock ?? systemClock });
}

/** nats.js gives up for good if an authenticator throws. A file that cannot be read any more leaves the last credentials. */
function credentialsFile(path: string, { transport }: NatsPackages) {
  let last = readFile(path, 'The credentials file of NATS');
  return transport.credsAuthenticator(() => {
    try {
      last = readFileSync(path);
    } catch {
      // The connection fails with the last credentials, if they are not valid any more, and says so.
    }
    return last;
  });
}

function readTls({ tls }: ConnectOptions, { isTls, hosts }: NatsAddresses): NodeConnectionOptions['tls'] | undefined {
  if (!tls && !isTls) return undefined;
  for (const path of [tls?.ca, tls?.cert, tls?.key])
    if (path !== undefined) readFile(path, 'A certificate or key for NATS');
  return {
    ...(tls?.ca === undefined ? {} : { caFile: tls.ca }),
    ...(tls?.cert === undefined ? {} : { certFile: tls.cert }),
    ...(tls?.key === undefined ? {} : { keyFile: tls.key }),
    // nats.js connects to numeric addresses without a name, which Node.js then compares with `localhost`.
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
