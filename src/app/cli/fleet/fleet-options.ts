// How commands reach a fleet: its NATS servers, its name and its credentials, as options or variables of the environment. Secrets
// are in files or in the environment: no option, message or list has one.

import type { Command } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import { fleetName } from '../../../host/fleet/subjects.ts';
import { durationOf } from '../settings.ts';

export interface FleetOptions {
  /** Addresses of NATS servers, with commas between them. */
  join?: string;
  fleet?: string;
  lease?: number;
  natsReplicas?: number;
  natsCreds?: string;
  natsCa?: string;
  natsCert?: string;
  natsKey?: string;
}

export const DEFAULT_FLEET = 'default';
/** Below it, a busy machine loses its leases; above it, a dead node is replaced late. */
const LEASE_MS = { least: 1_000, most: 600_000 };

const GROUP = 'Fleet options:';
const ADDRESSES = 'use the fleet at these NATS servers: nats://HOST,…';

export function addFleetOptions(command: Command, what = ADDRESSES): Command {
  command.optionsGroup(GROUP).option('--fleet <name>', `name of the fleet (default: ${DEFAULT_FLEET})`);
  return addAddressesOfFleet(command, what);
}

/** Where `--fleet` means something else, too. Each option has a variable: `STANDPIPE_JOIN`, `STANDPIPE_NATS_CREDS`, … */
export function addAddressesOfFleet(command: Command, what = ADDRESSES): Command {
  return command
    .optionsGroup(GROUP)
    .option('--join <urls>', what)
    .option('--nats-creds <file>', 'credentials file for NATS')
    .option('--nats-ca <file>', 'certificates of trusted authorities, in PEM')
    .option('--nats-cert <file>', 'client certificate for NATS, in PEM')
    .option('--nats-key <file>', 'key of the client certificate');
}

/** For what the first node of a fleet makes. */
export function addBucketOptions(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option(
      '--lease <time>',
      'silence after which a node is replaced; set by the first node (default: 5s)',
      durationOf('--lease'),
    )
    .option(
      '--nats-replicas <number>',
      'NATS servers that keep the table; set by the first node (default: 1)',
      replicasOf,
    );
}

/** Whether the servers of NATS are given: such a fleet is preferred to that of the running host. */
export function hasAddresses({ join }: FleetOptions, env: NodeJS.ProcessEnv = process.env): boolean {
  return (join ?? (env.STANDPIPE_JOIN || undefined)) !== undefined;
}

/** Undefined where no fleet is named. `name`: of the program, for the monitoring of NATS. */
export function readFleetOptions(
  options: FleetOptions,
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): ClusterNetworkOptions | undefined {
  const given = (option: string | undefined, variable: string) => option ?? (env[variable] || undefined);
  const join = given(options.join, 'STANDPIPE_JOIN');
  const fleet = given(options.fleet, 'STANDPIPE_FLEET');
  const credentials = given(options.natsCreds, 'STANDPIPE_NATS_CREDS');
  const ca = given(options.natsCa, 'STANDPIPE_NATS_CA');
  const cert = given(options.natsCert, 'STANDPIPE_NATS_CERT');
  const key = given(options.natsKey, 'STANDPIPE_NATS_KEY');
  if (join === undefined) {
    const { fleet, lease, natsReplicas, natsCreds, natsCa, natsCert, natsKey } = options;
    if ([fleet, lease, natsReplicas, natsCreds, natsCa, natsCert, natsKey].every((each) => each === undefined))
      return undefined;
    throw missingJoin();
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('INVALID_OPTION', 'A client certificate for NATS and its key are needed together', {
      hint: 'Give both: --nats-cert FILE --nats-key FILE.',
    });
  }
  return {
    servers: join.split(',').map((address) => readAddress(address, options.join !== undefined)),
    fleet: checkName('--fleet', fleet ?? DEFAULT_FLEET),
    name,
    lifetimeMs: options.lease === undefined ? undefined : checkLease(options.lease),
    replicas: options.natsReplicas,
    credentials,
    tls: (ca ?? cert) === undefined ? undefined : { ca, cert, key },
  };
}

export function missingJoin(): UsageError {
  return new UsageError('INVALID_OPTION', 'No fleet was given, and no node of one runs for this folder', {
    hint: 'Name its NATS servers: --join nats://HOST[:PORT], or STANDPIPE_JOIN in the environment. Or name a node of this machine: --node NAME.',
  });
}

/** Names of nodes, fleets and labels are parts of the subjects of NATS. */
export function checkName(option: string, name: string): string {
  if (fleetName.test(name)) return name;
  throw new UsageError('INVALID_OPTION', `${option} cannot be "${name}"`, {
    hint: 'Use letters, digits, - and _: at most 64.',
  });
}

/** Never quotes the address: it may contain a password. `isVisible`: it is part of the command line. */
function readAddress(text: string, isVisible: boolean): string {
  const address = text.trim();
  const full = /^\w+:\/\//.test(address) ? address : `nats://${address}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const scheme = url?.protocol ?? '';
  if (!url || !['nats:', 'tls:'].includes(scheme) || url.hostname === '' || !/^\/?$/.test(url.pathname)) {
    throw new UsageError(
      'INVALID_OPTION',
      `${isVisible ? '--join' : 'STANDPIPE_JOIN'} needs addresses of NATS servers`,
      {
        hint: 'Write nats://HOST[:PORT] or tls://HOST[:PORT], with a port up to 65535 and commas between several.',
      },
    );
  }
  if (isVisible && url.username !== '') {
    throw new UsageError('INVALID_OPTION', '--join cannot contain a user or a password', {
      hint: 'A command line is visible to others. Use STANDPIPE_JOIN in the environment, or --nats-creds FILE.',
    });
  }
  return full;
}

function replicasOf(text: string): number {
  const replicas = Number(text);
  if ([1, 3, 5].includes(replicas)) return replicas;
  throw new UsageError('INVALID_OPTION', '--nats-replicas must be 1, 3 or 5', { hint: 'The default is 1.' });
}

function checkLease(ms: number): number {
  if (ms >= LEASE_MS.least && ms <= LEASE_MS.most) return ms;
  throw new UsageError('INVALID_OPTION', '--lease must be from 1s to 10m', { hint: 'The default is 5s.' });
}
