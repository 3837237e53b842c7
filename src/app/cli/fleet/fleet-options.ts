// Options and environment variables with which commands reach a fleet (NATS servers, fleet name and credentials) and with which `up` joins one.
// Secrets come only from files or the environment, never from options, and are never printed.

import { hostname } from 'node:os';
import type { Command } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { MOST_LABELS } from '../../../config/server-config.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import { fleetName } from '../../../host/fleet/subjects.ts';
import { durationOf, invalidOption, type Settings } from '../invocation.ts';
import { configFileOf } from '../servers/running-host.ts';

export interface FleetOptions {
  join?: string;
  fleet?: string;
  lease?: number;
  natsReplicas?: number;
  natsCreds?: string;
  natsCa?: string;
  natsCert?: string;
  natsKey?: string;
}

const DEFAULT_FLEET = 'default';
/** A shorter lease expires on a busy machine; a longer one delays the replacement of a dead node. */
const LEASE_MS = { least: 1_000, most: 600_000 };

const GROUP = 'Fleet options:';
const ADDRESSES = 'use the fleet at these NATS servers: nats://HOST,…';

export function addFleetOptions(command: Command, what = ADDRESSES): Command {
  command.optionsGroup(GROUP).option('--fleet <name>', `name of the fleet (default: ${DEFAULT_FLEET})`);
  return addAddressesOfFleet(command, what);
}

/**
 * Adds the addresses of a fleet to commands that define `--fleet` themselves. Each option has a variable:
 * `STANDPIPE_JOIN`, `STANDPIPE_NATS_CREDS`, …
 */
export function addAddressesOfFleet(command: Command, what = ADDRESSES): Command {
  return command
    .optionsGroup(GROUP)
    .option('--join <urls>', what)
    .option('--nats-creds <file>', 'credentials file for NATS')
    .option('--nats-ca <file>', 'trusted CA certificates, in PEM')
    .option('--nats-cert <file>', 'client certificate for NATS, in PEM')
    .option('--nats-key <file>', 'private key of the client certificate');
}

/** Options that take effect only for the first node of a fleet. */
function addBucketOptions(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option(
      '--lease <time>',
      'silence after which a node is replaced; set by the first node (default: 5s)',
      durationOf('--lease'),
    )
    .option(
      '--nats-replicas <number>',
      'NATS replicas of the fleet state; set by the first node (default: 1)',
      replicasOf,
    );
}

/** Whether NATS servers are given. Such a fleet takes precedence over the fleet of the running host. */
export function hasAddresses({ join }: FleetOptions, env: NodeJS.ProcessEnv = process.env): boolean {
  return (join ?? (env.STANDPIPE_JOIN || undefined)) !== undefined;
}

/** Returns undefined if no fleet is given. `name`: program name for the NATS monitoring. */
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
    throw invalidOption(
      '--nats-cert and --nats-key must be used together',
      'Give both: --nats-cert FILE --nats-key FILE.',
    );
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
  return invalidOption(
    'No fleet was given, and this folder has no running node',
    'Name its NATS servers: --join nats://HOST[:PORT], or STANDPIPE_JOIN in the environment. Or name a node of this machine: --node NAME.',
  );
}

/** Names of nodes, fleets and labels become parts of NATS subjects. */
function checkName(option: string, name: string): string {
  if (fleetName.test(name)) return name;
  throw invalidOption(`${option} cannot be "${name}"`, 'Use letters, digits, - and _: at most 64.');
}

/** Errors never quote the address, which may contain a password. `isVisible`: the address is part of the command line. */
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
        hint: 'Write nats://HOST[:PORT] or tls://HOST[:PORT], with a port up to 65535. Separate several addresses with commas.',
      },
    );
  }
  if (isVisible && url.username !== '') {
    throw invalidOption(
      '--join cannot contain a user or a password',
      'A command line is visible to others. Use STANDPIPE_JOIN in the environment, or --nats-creds FILE.',
    );
  }
  return full;
}

function replicasOf(text: string): number {
  const replicas = Number(text);
  if ([1, 3, 5].includes(replicas)) return replicas;
  throw invalidOption('--nats-replicas must be 1, 3 or 5', 'The default is 1.');
}

function checkLease(ms: number): number {
  if (ms >= LEASE_MS.least && ms <= LEASE_MS.most) return ms;
  throw invalidOption('--lease must be from 1s to 10m', 'The default is 5s.');
}

export interface JoinFlags extends FleetOptions {
  node?: string;
  labels?: string;
  offer?: boolean;
  drain?: number;
}

export interface JoinPlan {
  network: ClusterNetworkOptions;
  node: string;
  labels: string[];
  offers: boolean;
  /** Limit in ms for pending calls when a server moves or the node leaves. */
  drainMs: number | undefined;
}

export function addJoinOptions(command: Command): Command {
  addFleetOptions(command, 'join the fleet at these NATS servers: nats://HOST,…');
  return addBucketOptions(command)
    .option('--labels <names>', 'labels of this node for placement: gpu,eu')
    .option('--no-offer', 'do not offer the servers of the config to other nodes');
}

/** Validates the options before anything starts. Returns undefined without --join. */
export function readJoinOptions({ labels, offer, drain, ...options }: JoinFlags): JoinPlan | undefined {
  const node = checkName('--node', options.node ?? nodeNameOf(hostname()));
  const network = readFleetOptions(options, node);
  if (network) {
    const names = (labels ?? '').split(',').filter((label) => label !== '');
    const checked = names.map((label) => checkName('--labels', label));
    if (checked.length > MOST_LABELS) {
      throw invalidOption(`--labels has ${checked.length} names; the limit is ${MOST_LABELS}`);
    }
    return { network, node, labels: checked, offers: offer !== false, drainMs: drain };
  }
  const needless = options.node !== undefined ? '--node' : labels !== undefined ? '--labels' : undefined;
  if (needless === undefined && offer !== false) return undefined;
  throw invalidOption(
    `${needless ?? '--no-offer'} needs --join`,
    'Name the NATS servers of the fleet: --join nats://HOST[:PORT].',
  );
}

/** Replaces other characters of the host name: `web-1.example.org` becomes the node `web-1-example-org`. */
export function nodeNameOf(host: string): string {
  return (
    host
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'node'
  );
}

/** A node works without a config. Its host is then found by the node name. */
export function settingsOfNode(settings: Settings, plan: JoinPlan | undefined): Settings {
  const ofConfig = { ...settings, node: undefined };
  const hasConfig = settings.discover || settings.shared || configFileOf(ofConfig) !== undefined;
  return plan && !hasConfig ? { ...settings, node: plan.node } : ofConfig;
}

export function isOfFleet({ url }: { url?: string | undefined }): boolean {
  return url?.startsWith('nats:') ?? false;
}
