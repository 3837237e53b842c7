// Why NATS could not be used, in words: what failed, and what to do. Errors of nats.js say neither where nor what to do.

import { PeerError, StandpipeError, UsageError } from '../../base/errors.ts';
import type { NatsPackages } from './load-nats.ts';

/** Codes of Node.js and OpenSSL for certificates. */
const certificateError = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ERR_SSL|ERR_TLS|EPROTO/;
const STREAM_NOT_FOUND = 10059;
const NOT_ENABLED_FOR_ACCOUNT = 10039;
const NO_SUITABLE_PEERS = 10005;
const NO_LEADER = [10008, 10118];

/** `where`: the addresses. `what`: what was to be done, as the beginning of a sentence. */
export function explainFailure(error: unknown, packages: NatsPackages, where: string, what: string): StandpipeError {
  if (error instanceof StandpipeError) return error;
  if (isTooLong(error))
    return new UsageError('PAYLOAD_TOO_LONG', `${what} failed: it is longer than NATS permits`, { cause: error });
  const { reason, hint } = explain(error, packages);
  return new PeerError('FLEET_UNREACHABLE', `${what} failed at ${where}: ${reason}`, { hint, cause: error });
}

interface Explanation {
  reason: string;
  hint: string;
}

function explain(error: unknown, packages: NatsPackages): Explanation {
  const { AuthorizationError, UserAuthenticationExpiredError, PermissionViolationError } = packages.transport;
  const { RequestError, TimeoutError } = packages.transport;
  const { code, name, message, cause } = error as Error & { code?: unknown; cause?: unknown };
  if (error instanceof RequestError && cause instanceof Error) return explain(cause, packages);
  if (error instanceof PermissionViolationError) {
    const verb = error.operation === 'publish' ? 'publishing to' : 'subscribing to';
    return {
      reason: `NATS does not permit ${verb} ${error.subject}`,
      hint: 'Give the user of NATS the permissions that docs/fleet.md lists under "Who may join".',
    };
  }
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return {
      reason: `NATS refused the credentials (${message})`,
      hint: 'Give a credentials file that this NATS accepts, and check that it has not expired.',
    };
  }
  if (name === 'JetStreamNotEnabled' || code === NOT_ENABLED_FOR_ACCOUNT) {
    return {
      reason: 'it has no JetStream',
      hint: 'Start it with JetStream: nats-server -js. With accounts, enable it for this account.',
    };
  }
  if (code === STREAM_NOT_FOUND)
    return {
      reason: 'a bucket of the fleet was deleted',
      hint: 'It is created again. Run "standpipe fleet apply" again.',
    };
  if (message.includes('non-clustered mode')) {
    return {
      reason: 'it is one server and no cluster',
      hint: 'Leave out --nats-replicas, or set up a cluster of NATS.',
    };
  }
  if (code === NO_SUITABLE_PEERS) {
    return {
      reason: 'its cluster has too few servers for the replicas',
      hint: 'Start further servers of the NATS cluster, or give a smaller number with --nats-replicas.',
    };
  }
  if (NO_LEADER.includes(code as number)) {
    return {
      reason: `its cluster has no leader (${message})`,
      hint: 'More than half of the servers of the NATS cluster must run and reach each other. It chooses a leader within some seconds.',
    };
  }
  if (error instanceof TimeoutError || name === 'TimeoutError') {
    return {
      reason: 'it did not answer in time',
      hint: 'Check the address and the port (4222 by default), that NATS has a leader, and that no firewall drops the packets.',
    };
  }
  return explainConnection(String((cause as { code?: unknown } | undefined)?.code ?? code ?? ''), message);
}

function explainConnection(code: string, message: string): Explanation {
  if (code === 'ECONNREFUSED' || message === 'connection refused') {
    return {
      reason: 'nothing listens there',
      hint: 'Start NATS there with "nats-server -js", or correct the address.',
    };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { reason: 'the name of the host is unknown', hint: 'Correct the address, or the name service.' };
  if (message.includes("does not support 'tls'")) {
    return { reason: 'it has no TLS', hint: 'Use nats:// without certificates, or configure TLS in NATS.' };
  }
  if (message.includes('unexpected response')) {
    return {
      reason: 'what listens there does not speak NATS',
      hint: 'Correct the address and the port. The default port is 4222.',
    };
  }
  if (certificateError.test(code) || /certificate|altnames|tls|ssl/i.test(message)) {
    return {
      reason: `the TLS connection failed (${message})`,
      hint: 'Give the certificate of its authority with --nats-ca, and a client certificate with --nats-cert and --nats-key if it wants one.',
    };
  }
  return { reason: message || 'the connection was closed', hint: 'Read the log of the NATS server.' };
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && error.message.includes('max_payload');
}
