// Placers on a real NATS server, with nodes that claim slots but run no servers.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterNetwork, Place } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { FleetState } from '../../src/host/fleet/place/fleet-state.ts';
import { isInForce } from '../../src/host/fleet/place/plan.ts';
import { keyOfServer } from '../../src/host/fleet/subjects.ts';
import { type ClaimingNode, claimingNode } from '../fixtures/fleet/claiming-node.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});

/** Lifetime of leases that must end during a test, and of leases that must stay on a busy machine. */
const [SHORT_MS, LONG_MS] = [3_000, 30_000];
const opened: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(opened.map((each) => each.close())));

/** A view of the records of a fleet. */
class Watched {
  readonly network: ClusterNetwork;
  readonly state = new FleetState();

  constructor(network: ClusterNetwork) {
    this.network = network;
  }

  async server(name: string, place: Partial<Place> = {}, command = 'x'): Promise<void> {
    const { servers } = this.network.directory;
    const value = {
      name,
      entry: { command },
      place: { labels: [], replicas: 1, spread: 'prefer' as const, stateless: false, ...place },
    };
    const before = await servers.get(keyOfServer(name));
    if (before) await servers.update(keyOfServer(name), value, before.revision);
    else await servers.create(keyOfServer(name), value);
  }

  async drain(node: string): Promise<void> {
    const { nodes } = this.network.directory;
    const { value, revision } = (await nodes.get(node))!;
    await nodes.update(node, { ...value, draining: true }, revision);
  }

  /** Nodes by `server.slot`, for claims that are in force. */
  get places(): Record<string, string> {
    const all = [...this.state.claims].flatMap(([key, slots]) =>
      [...slots].flatMap(([slot, { value }]) =>
        isInForce(value, this.state) && this.state.nodes.has(value.node) ? [[`${key}.${slot}`, value.node]] : [],
      ),
    );
    return Object.fromEntries(all);
  }

  async placed(what: string, is: (places: Record<string, string>) => boolean): Promise<void> {
    await until(what, () => is(this.places));
  }
}

async function newFleet(
  fleet: string,
  { url = nats.url, lifetimeMs = SHORT_MS } = {},
): Promise<{ watched: Watched; join: Join }> {
  const network = await openNetwork({ servers: [url], fleet, name: 'test', lifetimeMs });
  const watched = new Watched(network);
  await watched.state.watch(network);
  opened.push(network);
  const join: Join = async (name, options = {}) => {
    const node = await claimingNode(name, { servers: [url], fleet, lifetimeMs, ...options });
    opened.push({ close: () => node.vanish() });
    return node;
  };
  return { watched, join };
}

type Join = (name: string, options?: { labels?: string[]; isDeaf?: boolean }) => Promise<ClaimingNode>;

const countOf = (places: Record<string, string>, node: string) =>
  Object.values(places).filter((each) => each === node).length;

test.concurrent('one of three placers gives each slot to one node, and moves the servers of a drained node where possible', async () => {
  const { watched, join } = await newFleet('three', { lifetimeMs: LONG_MS });
  await watched.server('x', { replicas: 2, spread: 'nodes' });
  for (const name of ['y', 'z']) await watched.server(name);
  await watched.server('g', { labels: ['gpu'] });
  const nodes = await Promise.all([join('a'), join('b'), join('c', { labels: ['gpu'] })]);
  await watched.placed('all run', (places) => Object.keys(places).length === 5);
  expect(nodes.filter(({ placer }) => placer.isPlacing)).toHaveLength(1);
  expect(watched.places['g.1']).toBe('c');
  expect(watched.places['x.1']).not.toBe(watched.places['x.2']);

  await watched.server('y', {}, 'changed');
  const owner = nodes.find(({ name }) => name === watched.places['y.1'])!;
  await until('y runs as it is now', () => owner.done.includes('run y.1 changed'));

  await watched.drain('c');
  await watched.placed(
    'only the server with the label is left',
    (places) => countOf(places, 'c') === 1 && Object.keys(places).length === 5,
  );
  const placing = nodes.find(({ placer }) => placer.isPlacing)!.placer;
  await until('the reason is known', () => placing.waiting.length === 1);
  const reason = 'no node with the label gpu can run it: c is draining';
  expect(placing.waiting).toEqual([{ server: 'g', slot: 1, node: 'c', reason }]);
  expect(
    nodes[2]!.done.filter((line) => line.startsWith('end')).every((line) => line.endsWith('node c is drained')),
  ).toBe(true);
});

test.concurrent('another node places when the placer ends or vanishes, and moves its servers', async () => {
  const { watched, join } = await newFleet('leaving');
  for (const name of ['w', 'x', 'y', 'z']) await watched.server(name);
  const first = await join('a');
  await watched.placed('all run on the first', (places) => countOf(places, 'a') === 4);
  const others = await Promise.all([join('b'), join('c')]);
  await first.placer.stop();
  await until('another places', () => others.some(({ placer }) => placer.isPlacing));
  expect(countOf(watched.places, 'a')).toBe(4);
  await first.vanish();
  await watched.placed(
    'all run on the others',
    (places) => Object.keys(places).length === 4 && countOf(places, 'a') === 0,
  );
  await until('its record is gone', () => !watched.state.nodes.has('a'));
  const [placing] = others.filter(({ placer }) => placer.isPlacing);
  const [left] = others.filter((each) => each !== placing);
  await placing!.vanish();
  await watched.placed('all run on the last', (places) => countOf(places, left!.name) === 4);
});

test.concurrent('a server that one node refuses goes to another, and has a reason if all refuse', async () => {
  const { watched, join } = await newFleet('refusing', { lifetimeMs: LONG_MS });
  const [a, b] = [await join('a'), await join('b')];
  a.unfit.set('x', 'Variable TOKEN is not set');
  await watched.server('x');
  await watched.placed('x runs on b', (places) => places['x.1'] === 'b');
  for (const node of [a, b]) node.unfit.set('y', 'Variable KEY is not set');
  await watched.server('y');
  const placing = [a, b].find(({ placer }) => placer.isPlacing)!.placer;
  const reason = 'no node can run it: a, b refused it: Variable KEY is not set';
  await until('the reason is known', () =>
    placing.waiting.some((each) => each.server === 'y' && each.reason === reason),
  );
});

test.concurrent('a node that does not answer does not delay others', async () => {
  const { watched, join } = await newFleet('deaf');
  await join('a', { isDeaf: true });
  await join('b');
  for (const name of ['u', 'v', 'w', 'x', 'y', 'z']) await watched.server(name);
  await watched.placed('all run on the one that answers', (places) => countOf(places, 'b') === 6);
});

test.concurrent('two concurrent placers do not start a second process', async () => {
  const { watched, join } = await newFleet('two');
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => join(name)));
  const placing = () => nodes.filter(({ placer }) => placer.isPlacing);
  await until('one places', () => placing().length === 1);
  const [first] = placing();
  const { table } = watched.network.leases;
  await table.remove('placer', (await table.get('placer'))!.revision); // the first placer has not noticed yet
  await until('another places', () => placing().some((node) => node !== first));
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  await Promise.all(names.map((name) => watched.server(name)));
  await watched.placed('all run', (places) => Object.keys(places).length === names.length);
  const began = () => nodes.flatMap((node) => node.began);
  await until('all have begun', () => names.every((name) => began().some((line) => line.startsWith(`${name}.1 `))));
  expect(new Set(began()).size).toBe(began().length);
});

test.concurrent('after NATS was stopped for longer than a lease, each node gets the same slots again', async () => {
  const own = await startNatsServer();
  const { watched, join } = await newFleet('away', own);
  const names = ['r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'];
  for (const name of names) await watched.server(name);
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => join(name)));
  await watched.placed('all run', (places) => Object.keys(places).length === names.length);
  const before = watched.places;
  await own.stop();
  await until('all leases are lost', () => nodes.every(({ lease }) => lease.session === undefined));
  await own.start();
  const isAgain = (generation: number) => generation > 1;
  const claims = () =>
    [...watched.state.claims.values()].flatMap((slots) => [...slots.values()].map(({ value }) => value));
  await watched.placed('all run again', () => claims().every(({ generation }) => isAgain(generation)));
  await watched.placed('in force', (places) => Object.keys(places).length === names.length);
  expect(watched.places).toEqual(before);
});
