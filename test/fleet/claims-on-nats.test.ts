// Claims of two nodes on a real NATS server: concurrent claims, an owner that continues after a pause, a lost acknowledgement.

import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ManualClock, systemClock } from '../../src/base/clock.ts';
import type { ClaimRecord, ClusterNetwork, Table } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { Claims } from '../../src/host/fleet/node/claims/claims.ts';
import { NodeLease } from '../../src/host/fleet/node/node-lease.ts';
import { carryOut, changesTo } from '../../src/host/fleet/place/change-fleet.ts';
import { readFleet } from '../../src/host/fleet/place/fleet-state.ts';
import { keyOfSlot } from '../../src/host/fleet/subjects.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

let nats: NatsServer;
/** Long enough that no lease expires during a test. */
const LIFETIME_MS = 60_000;
const place = { labels: [], replicas: 1, spread: 'prefer' as const, stateless: false };

beforeAll(async () => {
  nats = await startNatsServer();
});

/** With a `ManualClock`, the node is in the state of a paused process until the clock advances. */
async function node(
  name: string,
  {
    clock = systemClock,
    change = (network: ClusterNetwork) => network,
    fleet = 'claims',
    lifetimeMs = LIFETIME_MS,
  } = {},
) {
  const network = change(await openNetwork({ servers: [nats.url], fleet, name, lifetimeMs }));
  const wallMs = clock === systemClock ? undefined : () => clock.nowMs();
  const lease = new NodeLease(network, `node.${name}`, name, { clock, wallMs });
  const running = new Map<string, ClaimRecord>();
  const runner = {
    run: async (claim: ClaimRecord) => void running.set(keyOfSlot(claim.server, claim.slot), claim),
    end: async ({ server, slot }: ClaimRecord) => void running.delete(keyOfSlot(server, slot)),
  };
  const claims = new Claims(network, lease, runner, name, { clock });
  lease.onHeld = () => void claims.leaseHeld();
  lease.onLost = (reason) => claims.leaseLost(reason);
  await lease.acquire();
  onTestFinished(async () => {
    await claims.releaseAll('the test ends');
    await lease.release();
    await network.close();
  });
  return { network, lease, claims, running };
}

test('one of two nodes that claim a slot at once gets it, in generation 1', async () => {
  const [one, other] = [await node('a'), await node('b')];
  for (let i = 1; i <= 20; i++) await one.network.directory.servers.create(`at-once-${i}`, record(`at-once-${i}`));
  for (let i = 1; i <= 20; i++) {
    const params = { server: `at-once-${i}`, slot: 1, revision: 0 };
    const answers = await Promise.all([one.claims.place(params), other.claims.place(params)]);
    expect(answers.filter((answer) => 'generation' in answer)).toEqual([{ generation: 1 }]);
  }
  await until('all run', () => one.running.size + other.running.size === 20);
  for (const key of one.running.keys()) expect(other.running.has(key)).toBe(false);
});

test('an owner that continues after a pause ends its process if another node has taken the slot', async () => {
  const clock = new ManualClock();
  const paused = await node('paused', { clock });
  const { claims, servers } = paused.network.directory;
  await servers.create('moves', record('moves'));
  expect(await paused.claims.place({ server: 'moves', slot: 1, revision: 0 })).toEqual({ generation: 1 });
  await until('it runs', () => paused.running.size === 1);

  const heir = await node('heir');
  const { revision } = (await claims.get('moves.1'))!;
  const params = { server: 'moves', slot: 1, revision };
  const inForce = 'Node "paused" runs it in generation 1';
  expect(await heir.claims.place(params)).toEqual({ refused: inForce });
  const { table } = heir.network.leases;
  await table.remove('node.paused', (await table.get('node.paused'))!.revision); // NATS removes it after the lifetime
  expect(await heir.claims.place(params)).toEqual({ generation: 2 });

  // The node has not noticed the loss yet. A real process would have been killed by the watchdog.
  expect(paused.lease.isHeld).toBe(true);
  clock.advance(LIFETIME_MS);
  expect(paused.lease.isHeld).toBe(false);
  expect(await paused.claims.place(params)).toMatchObject({ refused: expect.stringContaining('no lease') });
  await until('it has ended', () => paused.running.size === 0);
  await until('it has a new lease', () => {
    clock.advance(LIFETIME_MS / 64);
    return paused.lease.isHeld;
  });
  expect(await paused.claims.place(params)).toMatchObject({ refused: expect.any(String) });
  expect(paused.claims.held).toEqual([]);
  expect((await claims.get('moves.1'))!.value).toMatchObject({ node: 'heir', generation: 2, held: true });
});

test('reads the claim again when its acknowledgement is lost, and runs the server once', async () => {
  let lost = 0;
  const loses = (network: ClusterNetwork): ClusterNetwork => {
    const table = network.directory.claims;
    const create = async (key: string, claim: ClaimRecord) => {
      const revision = await table.create(key, claim);
      if (lost++ === 0) throw new Error('no answer');
      return revision;
    };
    const claims = new Proxy(table, {
      get: (_, name) =>
        name === 'create' ? create : (table[name as keyof Table<ClaimRecord>] as () => void).bind(table),
    });
    const { directory } = network;
    return new Proxy(network, {
      get: (_, name) => {
        const value = network[name as keyof ClusterNetwork] as unknown;
        if (name === 'directory') return { ...directory, claims };
        return typeof value === 'function' ? value.bind(network) : value;
      },
    });
  };
  const { network, claims, running } = await node('forgetful', { change: loses });
  await network.directory.servers.create('once', record('once'));
  expect(await claims.place({ server: 'once', slot: 1, revision: 0 })).toEqual({ generation: 1 });
  expect(lost).toBe(2);
  await until('it runs', () => running.size === 1);
  expect(claims.held).toMatchObject([{ server: 'once', generation: 1 }]);
});

test('after a lifetime is shortened in NATS, no node takes over before the longer lifetime of the owner has passed', async () => {
  const [fleet, lifetimeMs, shortMs] = ['shortened', 8_000, 1_500];
  const clock = new ManualClock();
  const [owner, heir] = [
    await node('owner', { fleet, lifetimeMs, clock: new ManualClock() }),
    await node('heir', { fleet, lifetimeMs, clock }),
  ];
  await owner.network.directory.servers.create('stays', record('stays'));
  expect(await owner.claims.place({ server: 'stays', slot: 1, revision: 0 })).toEqual({ generation: 1 });
  const { claims } = owner.network.directory;
  const { revision } = (await claims.get('stays.1'))!;
  const { streams } = await manager();
  const { config } = await streams.info(`KV_standpipe-${fleet}-leases`);
  const short = shortMs * 1e6;
  await streams.update(config.name, { ...config, max_age: short, duplicate_window: short });
  await until('NATS has forgotten the lease', async () => (await heir.network.leases.table.keys()).size === 0);

  expect(owner.lease.isHeld).toBe(true);
  const params = { server: 'stays', slot: 1, revision };
  const refused = 'Node "owner" relies on 8000 ms and may still run the slot';
  expect(await heir.claims.place(params)).toEqual({ refused: expect.stringContaining(refused) });
  const late = await node('late', { fleet });
  expect(late.lease.lifetimeMs).toBe(shortMs);
  expect(await late.claims.place(params)).toEqual({ refused: expect.stringContaining(refused) });

  const sinceMs = clock.nowMs();
  await until('the heir takes over', async () => {
    clock.advance(shortMs / 16);
    await heir.network.leases.table.keys(); // gives a renewal time to be answered
    const answer = await heir.claims.place(params);
    return 'generation' in answer && answer.generation === 2;
  });
  expect(clock.nowMs() - sinceMs).toBeGreaterThanOrEqual(lifetimeMs);
  expect(heir.lease.lifetimeMs).toBe(shortMs);
  expect((await claims.get('stays.1'))!.value).toMatchObject({ node: 'heir', lifetimeMs: shortMs });
});

test('a node that joins after a table was deleted takes no slot that an owner may still run', async () => {
  const fleet = 'joining';
  const owner = await node('owner', { fleet, clock: new ManualClock() });
  const { claims, servers } = owner.network.directory;
  for (const name of ['leased', 'claimed']) {
    await servers.create(name, record(name));
    expect(await owner.claims.place({ server: name, slot: 1, revision: 0 })).toEqual({ generation: 1 });
  }
  const { revision } = (await claims.get('leased.1'))!;
  const { streams } = await manager();
  await streams.delete(`KV_standpipe-${fleet}-leases`);
  expect(await owner.network.leases.table.keys()).toEqual(new Set()); // creates the table again
  const joins = await node('joins', { fleet });
  expect(owner.lease.isHeld).toBe(true);
  const anew = (table: string) => ({ refused: expect.stringContaining(`The table of ${table} was deleted in NATS`) });
  expect(await joins.claims.place({ server: 'leased', slot: 1, revision })).toEqual(anew('leases'));
  await streams.delete(`KV_standpipe-${fleet}-claims`);
  expect(await claims.get('claimed.1')).toBeUndefined();
  const later = await node('later', { fleet });
  expect(await later.claims.place({ server: 'claimed', slot: 1, revision: 0 })).toEqual(anew('claims'));
});

test('a slot whose owner lost its lease with the table is taken one lifetime later', async () => {
  const [fleet, lifetimeMs] = ['left', 1_500];
  const owner = await node('owner', { fleet, lifetimeMs, clock: new ManualClock() });
  const { claims, servers } = owner.network.directory;
  await servers.create('left', record('left'));
  await owner.claims.place({ server: 'left', slot: 1, revision: 0 });
  const { revision } = (await claims.get('left.1'))!;
  const { streams } = await manager();
  await streams.delete(`KV_standpipe-${fleet}-leases`);
  expect(await owner.network.leases.table.keys()).toEqual(new Set());
  const heir = await node('heir', { fleet });
  await until('it takes over', async () => {
    const answer = await heir.claims.place({ server: 'left', slot: 1, revision });
    return 'generation' in answer && answer.generation === 2;
  });
  // Both times are of the clock of NATS.
  const { created } = await streams.info(`KV_standpipe-${fleet}-leases`);
  const claimed = await streams.getMessage(`KV_standpipe-${fleet}-claims`, {
    seq: (await claims.get('left.1'))!.revision,
  });
  expect(claimed!.time.getTime() - Date.parse(created)).toBeGreaterThanOrEqual(lifetimeMs);
});

async function manager() {
  const connection = await connect({ servers: nats.url });
  onTestFinished(() => connection.close());
  return jetstreamManager(connection);
}

test('an owner restores its claim after an invalid one has replaced it, and does not run an invalid server', async () => {
  const { network, claims, running } = await node('h');
  const { servers, claims: table } = network.directory;
  await servers.create('unusable', record('unusable'));
  expect(await claims.place({ server: 'unusable', slot: 1, revision: 0 })).toEqual({ generation: 1 });
  await until('it runs', () => running.size === 1);
  const key = keyOfSlot('unusable', 1);
  const before = (await table.get(key))!;
  const junk = { type: 'io.nats.jetstream.api.v1.stream_info_response' } as never;
  const overwritten = (await table.update(key, junk, before.revision))!;
  claims.changed(key, undefined);
  await until('the claim is written again', async () => ((await table.get(key))?.revision ?? 0) > overwritten);
  expect((await table.get(key))!.value).toEqual(before.value);
  network.publish(`$KV.standpipe-claims-claims.${key}`, 'not JSON');
  await network.flush();
  claims.changed(key, undefined);
  await until('it is written once more', async () => (await table.get(key))?.value.session === before.value.session);
  expect(running.size).toBe(1);
  await servers.update('unusable', junk, (await servers.get('unusable'))!.revision);
  await claims.renew({ server: 'unusable', slot: 1, generation: 1 });
  expect(running.size).toBe(1);
  const refused = await claims.place({ server: 'unusable', slot: 2, revision: 0 });
  expect(refused).toEqual({ refused: 'The fleet has no usable entry for the server "unusable"' });
  const changes = changesTo([record('unusable')], (await readFleet(network)).servers);
  const change = changes.find(({ name }) => name === 'unusable')!;
  expect(change.kind).toBe('add');
  expect(await carryOut(network, change)).toBe(true);
  expect((await servers.get('unusable'))!.value).toEqual(record('unusable'));
});

test('an invalid entry in place of a lease is not taken as its loss', async () => {
  const owner = await node('leaseholder', { clock: new ManualClock() });
  const { directory, leases } = owner.network;
  await directory.servers.create('leaseheld', record('leaseheld'));
  expect(await owner.claims.place({ server: 'leaseheld', slot: 1, revision: 0 })).toEqual({ generation: 1 });
  await until('it runs', () => owner.running.size === 1);
  const { revision } = (await directory.claims.get('leaseheld.1'))!;
  const heir = await node('heir-of-lease');
  for (const text of ['not JSON', '{"type":"stream_info_response"}']) {
    owner.network.publish('$KV.standpipe-claims-leases.node.leaseholder', text);
    await owner.network.flush();
    expect((await leases.table.get('node.leaseholder'))!.value).not.toHaveProperty('session');
    const refused = 'Node "leaseholder" runs it in generation 1';
    expect(await heir.claims.place({ server: 'leaseheld', slot: 1, revision })).toEqual({ refused });
  }
});

function record(name: string) {
  return { name, entry: {}, place };
}
