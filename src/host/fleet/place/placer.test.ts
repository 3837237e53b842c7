// The timing of a placer, with a manual clock. test/fleet/placer.test.ts tests its actions on a real NATS server.

import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { ClusterNetwork, KeyedRecord, Table, TableListener } from '../cluster-network.ts';
import { Placer } from './placer.ts';

const LIFETIME_MS = 8_000;

class MemoryTable<T> implements Table<T> {
  isAway = false;
  readonly #entries = new Map<string, KeyedRecord<T>>();
  readonly #listeners = new Set<TableListener<T>>();
  #revision = 0;
  requests = 0;

  put(key: string, value: T): number {
    const entry = { key, value, revision: ++this.#revision };
    this.#entries.set(key, entry);
    for (const listener of this.#listeners) listener(entry);
    return entry.revision;
  }

  async get(key: string) {
    return this.#here().get(key);
  }

  async isSettled() {
    return true;
  }

  async isGone(key: string) {
    return !this.#here().has(key);
  }

  async create(key: string, value: T) {
    return this.#here().has(key) ? undefined : this.put(key, value);
  }

  async update(key: string, value: T, revision: number) {
    return this.#here().get(key)?.revision === revision ? this.put(key, value) : undefined;
  }

  async remove(key: string, revision: number) {
    return this.#here().get(key)?.revision === revision && this.#entries.delete(key);
  }

  async keys() {
    return new Set(this.#here().keys());
  }

  async watch(listener: TableListener<T>) {
    for (const entry of this.#here().values()) listener(entry);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #here(): Map<string, KeyedRecord<T>> {
    this.requests++;
    if (this.isAway) throw new Error('no connection');
    return this.#entries;
  }
}

/** The server `x` is claimed by node `b`, which has no lease; the placer runs on node `a`. */
function lostNode() {
  const [servers, nodes, claims, leases] = [0, 1, 2, 3].map(() => new MemoryTable<never>());
  const put = (table: MemoryTable<never> | undefined, key: string, value: object) => table!.put(key, value as never);
  const config = put(servers, 'x', { name: 'x', entry: {}, place: {} });
  for (const name of ['a', 'b']) put(nodes, name, { name, session: `s-${name}`, labels: [] });
  put(leases, 'node.a', { session: 's-a', node: 'a' });
  put(claims, 'x.1', { server: 'x', slot: 1, node: 'b', session: 's-b', generation: 1, held: true, config });
  const asked: string[] = [];
  const network = {
    fleet: 'f',
    isConnected: true,
    directory: { servers, nodes, claims },
    leases: { lifetimeMs: LIFETIME_MS, table: leases! },
    request: async (subject: string, { method }: { method: string }) => {
      asked.push(`${method} ${subject}`);
      return { result: { generation: 2 } };
    },
  };
  const clock = new ManualClock();
  const placer = (rank = 0) => new Placer(network as unknown as ClusterNetwork, 'a', { clock, rank: () => rank });
  const turn = async (ms: number) => {
    clock.advance(ms);
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
  };
  return { network, leases: leases!, nodes: nodes!, asked, placer, turn };
}

const placed = ['standpipe/place standpipe.f.node.a'];

test('places the slots of a node without a lease at once', async () => {
  const { asked, nodes, placer, turn } = lostNode();
  placer().start();
  await turn(0);
  await turn(20);
  expect(asked).toEqual(placed);
  expect(await nodes.get('b')).toBeUndefined();
});

test('after an outage of NATS, the nodes have time to renew their leases', async () => {
  const { asked, network, leases, nodes, placer, turn } = lostNode();
  leases.isAway = true;
  network.isConnected = false;
  placer().start();
  await turn(0);
  leases.isAway = false;
  network.isConnected = true;
  await turn(LIFETIME_MS / 8);
  await turn(LIFETIME_MS / 4);
  expect(asked).toEqual([]);
  expect(await nodes.get('b')).toBeDefined();
  await turn(LIFETIME_MS / 4);
  await turn(20);
  expect(asked).toEqual(placed);
});

test('later nodes in the order of names try for the lease less often', async () => {
  const { leases, placer, turn } = lostNode();
  leases.put('placer', { session: 'other', node: 'z' } as never);
  placer(9).start();
  await turn(0);
  const first = leases.requests;
  for (let i = 0; i < 9; i++) await turn(LIFETIME_MS / 8);
  expect(leases.requests).toBe(first);
  await turn(LIFETIME_MS / 8);
  expect(leases.requests).toBeGreaterThan(first);
});
