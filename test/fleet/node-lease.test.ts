// The lease of a node on a real NATS server. The test advances the clock of the node; NATS uses real time.

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ManualClock, systemClock } from '../../src/base/clock.ts';
import type { ClusterNetwork, LeaseRecord, Table } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NodeLease } from '../../src/host/fleet/node/node-lease.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

let nats: NatsServer;
let network: ClusterNetwork;
/** Long enough that no lease expires in NATS, except in tests that wait for it. */
const LONG_MS = 60_000;
const SHORT_MS = 1_500;

beforeAll(async () => {
  nats = await startNatsServer();
  network = await open('long', LONG_MS);
});

async function open(fleet: string, lifetimeMs: number): Promise<ClusterNetwork> {
  return openNetwork({ servers: [nats.url], fleet, name: 'test', lifetimeMs });
}

/** Faults between the lease and NATS. */
class Faults {
  /** Requests are lost. */
  isCut = false;
  /** Number of writes whose answer is lost although they succeed. */
  lostAnswers = 0;
  updates = 0;
  /** Number of requests that NATS has not answered yet. */
  underWay = 0;

  on(base: ClusterNetwork): ClusterNetwork {
    const never = new Promise<never>(() => undefined);
    const { table } = base.leases;
    const answered = <T>(request: Promise<T>) => {
      this.underWay++;
      return request.finally(() => this.underWay--);
    };
    const write = async (done: () => Promise<number | undefined>) => {
      if (this.isCut) return never;
      const revision = await answered(done());
      this.updates++;
      if (this.lostAnswers === 0) return revision;
      this.lostAnswers--;
      return never;
    };
    const faulty = {
      get: (key: string) => (this.isCut ? never : answered(table.get(key))),
      create: (key: string, value: LeaseRecord) => write(() => table.create(key, value)),
      update: (key: string, value: LeaseRecord, revision: number) => write(() => table.update(key, value, revision)),
      remove: (key: string, revision: number) => table.remove(key, revision),
    } as Table<LeaseRecord>;
    const { lifetimeMs } = base.leases;
    const readLifetime = () => (this.isCut ? never : answered(base.leases.readLifetime()));
    return { ...base, leases: { lifetimeMs, readLifetime, table: faulty } } as ClusterNetwork;
  }
}

let names = 0;

function leaseOfNode(base = network) {
  const node = `n${++names}`;
  const key = `node.${node}`;
  const clock = new ManualClock();
  const faults = new Faults();
  const wall = { ms: 0 };
  const lease = new NodeLease(faults.on(base), key, node, { clock, wallMs: () => clock.nowMs() + wall.ms });
  const events: string[] = [];
  lease.onHeld = (session) => void events.push(`held ${session}`);
  lease.onLost = (reason) => void events.push(`lost: ${reason}`);
  onTestFinished(() => lease.release());
  const entry = () => base.leases.table.get(key);
  /** Advances the clock only while NATS has no pending request, because NATS may be slow. */
  const untilTurned = (what: string, part: number, holds: () => boolean) =>
    until(what, () => {
      if (faults.underWay === 0 && !holds()) clock.advance(part * LONG_MS);
      return holds();
    });
  return { node, key, clock, faults, wall, lease, events, entry, untilTurned };
}

test('a lease is valid for 0.6 of its lifetime after its last renewal by both clocks, and its session is never reused', async () => {
  const { clock, faults, wall, lease, events, entry, untilTurned } = leaseOfNode();
  expect(lease.isHeld).toBe(false);
  expect(await lease.acquire()).toBe(true);
  const { session } = lease;
  expect((await entry())!.value.session).toBe(session);
  clock.advance(LONG_MS / 4);
  await until('it is renewed', () => faults.updates === 2);
  await entry(); // answered after the renewal
  wall.ms = 0.7 * LONG_MS; // as after a suspension of the machine
  expect(lease.isHeld).toBe(false);
  wall.ms = 0;
  expect(lease.isHeld).toBe(true);
  faults.isCut = true;
  clock.advance(0.59 * LONG_MS);
  expect(lease.isHeld).toBe(true);
  clock.advance(0.02 * LONG_MS);
  expect(lease.isHeld).toBe(false);
  expect(lease.session).toBeUndefined();
  expect(events).toEqual([`held ${session}`, 'lost: it could not be renewed in time']);

  faults.isCut = false;
  await untilTurned('it has another session', 1 / 64, () => lease.isHeld);
  expect(lease.session).not.toBe(session);
  expect((await entry())!.value.session).toBe(lease.session);
});

test('detects that another process has taken the name, and takes the name again when that process has ended', async () => {
  const { node, key, faults, lease, entry, untilTurned } = leaseOfNode();
  await lease.acquire();
  let taken = 0;
  lease.onTaken = () => taken++;
  lease.onLost = () => new Promise(() => undefined); // its processes cannot be ended
  faults.isCut = true;
  await untilTurned('it is lost', 1 / 64, () => !lease.isHeld);
  faults.isCut = false;
  const writes = faults.updates;
  await untilTurned('it tries to get it', 1 / 64, () => faults.updates > writes + 1);
  expect(lease.isTaken).toBe(false); // the entry is still that of this node
  const { table } = network.leases;
  const other = (await table.update(key, { session: 'of another process', node }, (await entry())!.revision))!;
  await untilTurned('it sees that', 1 / 64, () => lease.isTaken);
  await table.remove(key, other);
  await untilTurned('it is held', 1 / 64, () => lease.isHeld);
  expect(lease.isTaken).toBe(false);
  expect(taken).toBe(1);
});

test('keeps the session when the answer to a renewal is lost', async () => {
  const { faults, lease, events, untilTurned } = leaseOfNode();
  await lease.acquire();
  faults.lostAnswers = 1;
  await untilTurned('it is renewed again', 1 / 100, () => faults.updates >= 4);
  expect(events).toEqual([`held ${lease.session}`]);
  expect(lease.isHeld).toBe(true);
});

test('acquires the lease when the answer to the first write is lost', async () => {
  const { faults, lease, untilTurned } = leaseOfNode();
  faults.lostAnswers = 1;
  const acquired = lease.acquire();
  await untilTurned('it is held', 1 / 100, () => lease.isHeld);
  expect(await acquired).toBe(true);
});

test('keeps the entry of a session while a process of it cannot be ended', async () => {
  const { clock, faults, lease, entry, untilTurned } = leaseOfNode();
  await lease.acquire();
  const { session } = lease;
  lease.onLost = () => Promise.reject(new Error('a process does not end'));
  faults.isCut = true;
  clock.advance(0.61 * LONG_MS);
  faults.isCut = false;
  const before = faults.updates;
  await untilTurned('it has tried', 1 / 64, () => faults.updates > before + 3);
  expect((await entry())!.value.session).toBe(session);
});

test('replaces the entry of a lost session only after its processes have ended', async () => {
  const { clock, faults, lease, entry, untilTurned } = leaseOfNode();
  await lease.acquire();
  const { session } = lease;
  let ended!: () => void;
  lease.onLost = () => new Promise<void>((resolve) => (ended = resolve));
  faults.isCut = true;
  clock.advance(0.61 * LONG_MS);
  faults.isCut = false;
  const before = faults.updates;
  await untilTurned('it has tried', 1 / 64, () => faults.updates > before + 3);
  expect(lease.isHeld).toBe(false);
  expect((await entry())!.value.session).toBe(session);
  ended();
  await untilTurned('it has another session', 1 / 64, () => lease.isHeld);
});

test.each([
  ['removed', 'NATS no longer has the lease'],
  ['taken', 'another process has taken the lease'],
])('an entry that was %s loses the lease at the next renewal', async (how, reason) => {
  const { lease, events, entry, key, node, untilTurned } = leaseOfNode();
  await lease.acquire();
  const { table } = network.leases;
  const { revision } = (await entry())!;
  if (how === 'removed') expect(await table.remove(key, revision)).toBe(true);
  else expect(await table.update(key, { session: 'other', node }, revision)).toBeGreaterThan(revision);
  await untilTurned('it is lost', 1 / 100, () => events.length > 1);
  expect(events[1]).toContain(reason);
});

test('starts a new session when the bucket was deleted and created again', async () => {
  const short = await open('deleted', LONG_MS);
  onTestFinished(() => short.close());
  const { lease, events, untilTurned } = leaseOfNode(short);
  await lease.acquire();
  const { connect } = await import('@nats-io/transport-node');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const connection = await connect({ servers: nats.url });
  await (await jetstreamManager(connection)).streams.delete('KV_standpipe-deleted-leases');
  await connection.close();
  await untilTurned('it is held again', 1 / 100, () => events.length > 2);
  expect(events[1]).toContain('NATS no longer has the lease');
  expect(events[2]).toBe(`held ${lease.session}`);
});

test('waits for the lease of a dead predecessor, and is refused while the predecessor runs', async () => {
  const short = await open('short', SHORT_MS);
  onTestFinished(() => short.close());
  const { table } = short.leases;
  await table.create('node.dead', { session: 'of before', node: 'dead' });
  const heir = new NodeLease(short, 'node.dead', 'dead');
  onTestFinished(() => heir.release());
  expect(await heir.acquire()).toBe(true);

  const living = await open('living', 8_000); // longer than a renewal takes on a busy machine
  onTestFinished(() => living.close());
  const { table: leases } = living.leases;
  let revision = (await leases.create('node.alive', { session: 'another', node: 'alive' }))!;
  let isOver = false;
  const renew = async () => {
    while (!isOver) revision = (await leases.update('node.alive', { session: 'another', node: 'alive' }, revision))!;
  };
  const renewals = renew();
  const twin = new NodeLease(living, 'node.alive', 'alive', { clock: systemClock });
  await expect(twin.acquire()).rejects.toMatchObject({ code: 'NODE_NAME_TAKEN' });
  isOver = true;
  await renewals;
});

test('one of two nodes may place; the other may as soon as the first releases the right', async () => {
  const [one, other] = [new NodeLease(network, 'placer', 'a'), new NodeLease(network, 'placer', 'b')];
  expect(await Promise.all([one.acquire(), other.acquire()].map((got) => got))).toContain(true);
  const [holder, waiter] = one.isHeld ? [one, other] : [other, one];
  expect(waiter.isHeld).toBe(false);
  expect(await waiter.acquire()).toBe(false);
  await holder.release();
  expect(holder.isHeld).toBe(false);
  expect(await waiter.acquire()).toBe(true);
  await waiter.release();
});
