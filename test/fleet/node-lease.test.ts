// The lease of a node on a real NATS server. The clock of the node is turned by hand; what NATS does takes its own time.

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ManualClock, systemClock } from '../../src/base/clock.ts';
import type { ClusterNetwork, LeaseRecord, Table } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NodeLease } from '../../src/host/fleet/node/node-lease.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

let nats: NatsServer;
let network: ClusterNetwork;
/** Long enough that nothing expires in NATS by itself, except where a test waits for it. */
const LONG_MS = 60_000;
const SHORT_MS = 1_500;

beforeAll(async () => {
  nats = await startNatsServer();
  network = await open('long', LONG_MS);
});

async function open(fleet: string, lifetimeMs: number): Promise<ClusterNetwork> {
  return openNetwork({ servers: [nats.url], fleet, name: 'test', lifetimeMs });
}

/** Between the lease and NATS. */
class Faults {
  /** Requests do not arrive. */
  isCut = false;
  /** So many answers to writes are lost, though the writes are done. */
  lostAnswers = 0;
  updates = 0;
  /** Requests that NATS has not answered yet. */
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
  /** Time does not pass while NATS works: it may be slow. */
  const untilTurned = (what: string, part: number, holds: () => boolean) =>
    until(what, () => {
      if (faults.underWay === 0 && !holds()) clock.advance(part * LONG_MS);
      return holds();
    });
  return { node, key, clock, faults, wall, lease, events, entry, untilTurned };
}

test('a lease is trusted for 0.6 of its lifetime after the last renewal was sent, by both clocks, and its session never returns', async () => {
  const { clock, faults, wall, lease, events, entry, untilTurned } = leaseOfNode();
  expect(lease.isHeld).toBe(false);
  expect(await lease.acquire()).toBe(true);
  const { session } = lease;
  expect((await entry())!.value.session).toBe(session);
  clock.advance(LONG_MS / 4);
  await until('it is renewed', () => faults.updates === 2);
  await entry(); // its answer comes after that of the renewal
  wall.ms = 0.7 * LONG_MS; // the machine was suspended
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

test('a node learns that another process has taken its name, and gets the name back after that process', async () => {
  const { node, key, faults, lease, entry, untilTurned } = leaseOfNode();
  await lease.acquire();
  let taken = 0;
  lease.onTaken = () => taken++;
  lease.onLost = () => new Promise(() => undefined); // what it runs cannot be ended
  faults.isCut = true;
  await untilTurned('it is lost', 1 / 64, () => !lease.isHeld);
  faults.isCut = false;
  const writes = faults.updates;
  await untilTurned('it tries to get it', 1 / 64, () => faults.updates > writes + 1);
  expect(lease.isTaken).toBe(false); // the entry is its own
  const { table } = network.leases;
  const other = (await table.update(key, { session: 'of another process', node }, (await entry())!.revision))!;
  await untilTurned('it sees that', 1 / 64, () => lease.isTaken);
  await table.remove(key, other);
  await untilTurned('it is held', 1 / 64, () => lease.isHeld);
  expect(lease.isTaken).toBe(false);
  expect(taken).toBe(1);
});

test('a renewal whose answer is lost is resolved by reading: the session goes on', async () => {
  const { faults, lease, events, untilTurned } = leaseOfNode();
  await lease.acquire();
  faults.lostAnswers = 1;
  await untilTurned('it is renewed again', 1 / 100, () => faults.updates >= 4);
  expect(events).toEqual([`held ${lease.session}`]);
  expect(lease.isHeld).toBe(true);
});

test('the first write may lose its answer too', async () => {
  const { faults, lease, untilTurned } = leaseOfNode();
  faults.lostAnswers = 1;
  const acquired = lease.acquire();
  await untilTurned('it is held', 1 / 100, () => lease.isHeld);
  expect(await acquired).toBe(true);
});

test('a process that could not be ended keeps the entry of its session', async () => {
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

test('the old session keeps its entry until its processes have ended, and is replaced then', async () => {
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
])('an entry that was %s is a loss at the next renewal', async (how, reason) => {
  const { lease, events, entry, key, node, untilTurned } = leaseOfNode();
  await lease.acquire();
  const { table } = network.leases;
  const { revision } = (await entry())!;
  if (how === 'removed') expect(await table.remove(key, revision)).toBe(true);
  else expect(await table.update(key, { session: 'other', node }, revision)).toBeGreaterThan(revision);
  await untilTurned('it is lost', 1 / 100, () => events.length > 1);
  expect(events[1]).toContain(reason);
});

test('a bucket that was deleted and created again ends the session, and a new one follows', async () => {
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

test('a node waits for a dead predecessor of its name, and is refused by a living one', async () => {
  const short = await open('short', SHORT_MS);
  onTestFinished(() => short.close());
  const { table } = short.leases;
  await table.create('node.dead', { session: 'of before', node: 'dead' });
  const heir = new NodeLease(short, 'node.dead', 'dead');
  onTestFinished(() => heir.release());
  expect(await heir.acquire()).toBe(true);

  const living = await open('living', 8_000); // longer than NATS takes for a renewal on a busy machine
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

test('one of two has the right to place; the other gets it as soon as it is given back', async () => {
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
