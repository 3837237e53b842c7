// Connects to NATS, and creates the buckets of the fleet if they do not exist.

import { PeerError } from '../../../base/errors.ts';
import type { ClusterNetwork, Directory, Leases, StoredRecord, Table } from '../cluster-network.ts';
import { subjectsOf } from '../subjects.ts';
import { connectNats, loadNats, type NatsConnectOptions } from './connect-nats.ts';
import { BucketAges, type BucketOptions, NatsBucket } from './nats-bucket.ts';
import type { NatsLink } from './nats-link.ts';
import { NatsTable } from './nats-table.ts';

export interface ClusterNetworkOptions extends NatsConnectOptions {
  fleet: string;
  /** Lifetime of leases, if the fleet has to be created. Default: 5 s. */
  lifetimeMs?: number | undefined;
  /** Number of NATS servers that keep the buckets, if the fleet has to be created. Default: 1. */
  replicas?: number | undefined;
  /** Limit for the connection to NATS, and for each answer. Default: 5 s. */
  timeoutMs?: number | undefined;
}

const DEFAULT_LIFETIME_MS = 5_000;
const TIMEOUT_MS = 5_000;
/** Twice the TTL of a task, because a task may change for the last time when its TTL ends. */
const RECORDS = { ttlMs: 2 * 60 * 60_000, maxBytes: 256 * 1024 * 1024 };
/** Earlier versions apply several changes at one revision if they arrive together and the bucket is replicated. */
const REPLICABLE = [2, 9, 21];

export async function openNetwork(options: ClusterNetworkOptions): Promise<ClusterNetwork> {
  const { fleet, name, lifetimeMs = DEFAULT_LIFETIME_MS, replicas, timeoutMs = TIMEOUT_MS } = options;
  const packages = await loadNats();
  const link = await connectNats({ connectTimeoutMs: timeoutMs, ...options }, packages, subjectsOf(fleet).inbox(name));
  try {
    if ((replicas ?? 1) > 1) checkReplicable(link);
    const ages = new BucketAges();
    const open = (bucket: string, more: Partial<BucketOptions> & { timeoutMs: number }) =>
      NatsBucket.open(link, { name: `standpipe-${fleet}-${bucket}`, replicas, ages, ...more });
    // The short timeout of leases lets a slow renewal be repeated in time.
    const [servers, nodes, claims, leases] = await Promise.all([
      open('servers', { timeoutMs }),
      open('nodes', { timeoutMs }),
      open('claims', { timeoutMs }),
      open('leases', { ttlMs: lifetimeMs, timeoutMs: Math.min(timeoutMs, lifetimeMs / 2) }),
    ]);
    if ([servers, nodes, claims, leases].some(({ info }) => info.config.num_replicas > 1)) checkReplicable(link);
    if (leases.info.config.max_age === 0) throw noLifetime(fleet);
    ages.readTime = () => leases.bucket.info();
    const directory: Directory = {
      servers: new NatsTable(servers.bucket),
      nodes: new NatsTable(nodes.bucket),
      claims: new NatsTable(claims.bucket),
    };
    const { num_replicas } = servers.info.config;
    const ofRecords = { ...RECORDS, replicas: num_replicas, ages: new BucketAges(), timeoutMs };
    let opening: Promise<Table<StoredRecord>> | undefined;
    const records = () => {
      opening ??= open('records', ofRecords).then(({ bucket }) => new NatsTable<StoredRecord>(bucket));
      opening.catch(() => {
        opening = undefined; // the next caller tries again
      });
      return opening;
    };
    return Object.assign(link, { fleet, directory, leases: leasesIn(leases.bucket), records });
  } catch (error) {
    await link.close();
    throw error;
  }
}

function checkReplicable({ connection }: NatsLink): void {
  const version = connection.info?.version ?? '';
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? REPLICABLE;
  const at = numbers.findIndex((number, i) => number !== REPLICABLE[i]);
  if (at < 0 || numbers[at]! > REPLICABLE[at]!) return;
  throw new PeerError(
    'FLEET_REFUSED',
    `NATS ${version} does not compare revisions reliably in a bucket with replicas: two nodes could run one server`,
    { hint: 'Use NATS 2.11 or later on all servers of the cluster, or a fleet without --nats-replicas.' },
  );
}

function noLifetime(fleet: string): PeerError {
  const name = `standpipe-${fleet}-leases`;
  const message = `The bucket ${name} of NATS keeps leases forever, so lost nodes would never be replaced`;
  return new PeerError('FLEET_REFUSED', message, {
    hint: `Standpipe did not make this bucket. Delete the stream KV_${name}, or use another name with --fleet.`,
  });
}

/** The bucket determines the lifetime: it may have been created with another value than requested, or changed since. */
function leasesIn(bucket: NatsBucket): Leases {
  return {
    table: new NatsTable(bucket),
    get lifetimeMs() {
      return bucket.lifetimeMs;
    },
    async readLifetime() {
      await bucket.info();
      return bucket.lifetimeMs;
    },
  };
}
