// Explains why NATS could not be used: what failed, and what to do. Errors of nats.js contain neither the address nor a remedy.
// FLEET_UNREACHABLE may pass by itself; FLEET_REFUSED has to be fixed.

import { PeerError, StandpipeError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { NatsPackages } from './connect-nats.ts';

/** Certificate error codes of Node.js and OpenSSL. */
const certificateError = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ERR_SSL|ERR_TLS|EPROTO/;
const STREAM_NOT_FOUND = 10059;
const NOT_ENABLED_FOR_ACCOUNT = 10039;
const NO_SUITABLE_PEERS = 10005;
const NO_LEADER = [10008, 10118];
/** JetStream status: it has no leader yet, or is starting. */
const UNAVAILABLE = 503;

/** `where`: the addresses. `what`: the attempted operation, as the beginning of a sentence. */
export function explainFailure(error: unknown, packages: NatsPackages, where: string, what: string): StandpipeError {
  if (error instanceof StandpipeError) return error;
  if (isTooLong(error))
    return new UsageError('PAYLOAD_TOO_LONG', `${what} failed: it is longer than NATS permits`, { cause: error });
  const { reason, hint, code } = explain(error, packages);
  return new PeerError(code, `${what} failed at ${where}: ${reason}`, { hint, cause: error });
}

interface Explanation {
  code: 'FLEET_UNREACHABLE' | 'FLEET_REFUSED';
  reason: string;
  hint: string;
}

const unreachable = (reason: string, hint: string): Explanation => ({ code: 'FLEET_UNREACHABLE', reason, hint });
const refused = (reason: string, hint: string): Explanation => ({ code: 'FLEET_REFUSED', reason, hint });

function explain(error: unknown, packages: NatsPackages): Explanation {
  const { AuthorizationError, UserAuthenticationExpiredError, PermissionViolationError } = packages.transport;
  const { RequestError, TimeoutError } = packages.transport;
  const { code, name, message, cause } = error as Error & { code?: unknown; cause?: unknown };
  if (error instanceof RequestError && cause instanceof Error) return explain(cause, packages);
  if (error instanceof PermissionViolationError) {
    const verb = error.operation === 'publish' ? 'publishing to' : 'subscribing to';
    return refused(
      `NATS does not permit ${verb} ${error.subject}`,
      'Give the NATS user the permissions that docs/fleet.md lists under "Who may join".',
    );
  }
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return refused(
      `NATS refused the credentials (${message})`,
      'Give a credentials file that this NATS accepts, and check that it has not expired.',
    );
  }
  if (name === 'JetStreamNotEnabled' || code === NOT_ENABLED_FOR_ACCOUNT) {
    return refused(
      'JetStream is not enabled',
      'Start NATS with JetStream: nats-server -js. With accounts, enable it for this account.',
    );
  }
  if (code === STREAM_NOT_FOUND)
    return unreachable(
      'a bucket of the fleet was deleted',
      `It is created again. Run "${ownCommand} fleet apply" again.`,
    );
  if (code === NO_SUITABLE_PEERS) {
    return unreachable(
      'its cluster has too few servers for the replicas',
      'Start further servers of the NATS cluster, or give a smaller number with --nats-replicas.',
    );
  }
  if (NO_LEADER.includes(code as number)) {
    return unreachable(
      `its cluster has no leader (${message})`,
      'More than half of the servers of the NATS cluster must run and reach each other. It then elects a leader within seconds.',
    );
  }
  if (message.includes('non-clustered mode'))
    return refused('it is a single server, not a cluster', 'Leave out --nats-replicas, or set up a NATS cluster.');
  if (error instanceof TimeoutError || name === 'TimeoutError') {
    return unreachable(
      'it did not answer in time',
      'Check the address and the port (4222 by default), that NATS has a leader, and that no firewall drops the packets.',
    );
  }
  const { status } = error as { status?: unknown };
  if (name === 'JetStreamApiError' && status !== UNAVAILABLE)
    return refused(`JetStream refused it (${message})`, 'Read the log of the NATS server.');
  return explainConnection(String((cause as { code?: unknown } | undefined)?.code ?? code ?? ''), message);
}

function explainConnection(code: string, message: string): Explanation {
  if (code === 'ECONNREFUSED' || message === 'connection refused')
    return unreachable('nothing listens there', 'Start NATS there with "nats-server -js", or correct the address.');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unreachable('the name of the host is unknown', 'Correct the address, or the name service.');
  if (message.includes("does not support 'tls'"))
    return refused('it does not offer TLS', 'Use nats:// without certificates, or configure TLS in NATS.');
  if (message.includes('unexpected response')) {
    return refused(
      'the program at this address is not a NATS server',
      'Correct the address and the port. The default port is 4222.',
    );
  }
  if (certificateError.test(code) || /certificate|altnames|tls|ssl/i.test(message)) {
    return refused(
      `the TLS connection failed (${message})`,
      'Give the certificate of its authority with --nats-ca, and a client certificate with --nats-cert and --nats-key if it requires one.',
    );
  }
  return unreachable(message || 'the connection was closed', 'Read the log of the NATS server.');
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && error.message.includes('max_payload');
}
