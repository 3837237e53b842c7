// A fleet on a cluster of three NATS servers. Versions of NATS before 2.9.21 do not compare revisions reliably in replicated buckets, and
// are refused.

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ClusterNetwork, LeaseRecord } from '../../src/host/fleet/cluster-network.ts';
import { connectNats, loadNats } from '../../src/host/fleet/nats/connect-nats.ts';
import { BucketAges, NatsBucket } from '../../src/host/fleet/nats/nats-bucket.ts';
import { KnownRevisions, NatsTable } from '../../src/host/fleet/nats/nats-table.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NatsCluster } from '../fixtures/fleet/nats-cluster.ts';
import type { NatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

let cluster: NatsCluster;
beforeAll(async () => {
  cluster = await NatsCluster.open();
});

async function open(fleet: string, servers = cluster.urls): Promise<ClusterNetwork> {
  const network = await openNetwork({ servers, fleet, name: 'a', lifetimeMs: 1000, replicas: 3 });
  onTestFinished(() => network.close());
  return network;
}

test('only one of many concurrent changes at a revision succeeds, or the version of NATS is refused', async () => {
  const networks = await Promise.all(cluster.urls.map((url) => open('one-wins', [url]))).catch((error) => {
    expect(error).toMatchObject({ code: 'FLEET_REFUSED', message: expect.stringContaining('compare revisions') });
    return [];
  });
  for (let round = 0; round < (networks.length > 0 ? 20 : 0); round++) {
    const { nodes } = networks[0]!.directory;
    const revision = (await nodes.create(`n${round}`, { name: 'x' } as never))!;
    const changes = networks.flatMap(({ directory }) =>
      [1, 2].map((pid) => directory.nodes.update(`n${round}`, { pid } as never, revision)),
    );
    expect((await Promise.all(changes)).filter((made) => made !== undefined)).toHaveLength(1);
  }
});

/** Opens a bucket of leases with three replicas. Outside of a fleet, all versions of NATS are accepted. */
async function openLeases(server: NatsServer, clock?: ManualClock): Promise<NatsBucket> {
  const link = await connectNats({ servers: [server.url], name: 'a', clock }, await loadNats(), 'inbox.a');
  onTestFinished(() => link.close());
  const { bucket } = await NatsBucket.open(link, {
    name: 'leases',
    ttlMs: 1000,
    replicas: 3,
    timeoutMs: 2000,
    ages: new BucketAges(),
  });
  return bucket;
}

test('detects an outdated answer by its revision, and accepts the low revisions of a recreated bucket', async () => {
  const bucket = await openLeases(cluster.servers[0]!);
  const known = new KnownRevisions(bucket);
  known.saw('node.b', 7);
  await expect(known.check('node.b', 6)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
  await known.check('node.b', 8);
  await expect(known.check('node.b', 7)).rejects.toThrow('outdated data');
  await bucket.jsm.streams.delete(bucket.stream);
  await until('it is made anew', () =>
    known.check('node.b', 1).then(
      () => true,
      () => false,
    ),
  );
});

test('a consumer that its server has lost is created again within three heartbeats of two seconds', async () => {
  // Waits for a leader first, because this wait does not end on a manual clock.
  await openLeases(cluster.servers[0]!);
  const clock = new ManualClock();
  const bucket = await openLeases(cluster.servers[0]!, clock);
  const table = new NatsTable<LeaseRecord>(bucket);
  const seen: string[] = [];
  await table.watch(({ key }) => seen.push(key));
  const { consumers } = bucket.jsm;
  // Requests may fail while the cluster elects a leader.
  await until('the consumers are deleted', async () => {
    try {
      for await (const { name } of consumers.list(bucket.stream)) await consumers.delete(bucket.stream, name);
      return true;
    } catch {
      return false;
    }
  });
  for (let ms = 0; ms < 8_000; ms += 1_000) clock.advance(1_000);
  await table.create('node.c', { session: 's', node: 'c' });
  await until('the change is seen', () => seen.includes('node.c'));
});

test('an isolated leader does not report a lease as gone', async () => {
  await openLeases(cluster.servers[0]!);
  const leader = await cluster.leaderOf('KV_leases');
  const table = new NatsTable<LeaseRecord>(await openLeases(leader));
  expect(await table.create('node.b', { session: 's', node: 'b' })).toBeDefined();
  cluster.isolate(leader);
  try {
    // The isolated leader forgets the lease after its lifetime, although others may renew it. Some versions refuse to answer then.
    await until('it has forgotten the lease', () =>
      table.get('node.b').then(
        (entry) => !entry,
        () => true,
      ),
    );
    await expect(table.isGone('node.b')).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
  } finally {
    cluster.heal(leader);
  }
  await until('the cluster has a leader again', () => table.isGone('node.b').catch(() => false));
  expect(await table.keys()).toEqual(new Set());
});
