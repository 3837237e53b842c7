import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ClusterNetwork } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NatsProxy } from '../fixtures/fleet/nats-proxy.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';

const nats = await startNatsServer();
const proxy = await NatsProxy.open(nats.port);
let fleets = 0;

async function open(
  fleet: string,
  more: { url?: string; lifetimeMs?: number; clock?: ManualClock } = {},
): Promise<ClusterNetwork> {
  const network = await openNetwork({ servers: [more.url ?? nats.url], fleet, name: 'a', ...more });
  onTestFinished(() => network.close());
  return network;
}

async function manager() {
  const connection = await connect({ servers: nats.url });
  onTestFinished(() => connection.close());
  return jetstreamManager(connection);
}

function connection(network: ClusterNetwork, isConnected: boolean): Promise<void> {
  return new Promise((resolve) => {
    // Other reports, such as missing answers to pings, have a state too.
    network.onConnection = (state, text) => {
      if (state === isConnected && (!isConnected || text.startsWith('Connected'))) resolve();
    };
  });
}

test('detects and replaces a hanging connection, even if much was published on it', async () => {
  const fleet = `hangs${++fleets}`;
  const [network, other] = [await open(fleet, { url: proxy.url }), await open(fleet)];
  const received: string[] = [];
  network.subscribe('much', ({ data }) => data.length < 10 && received.push(Buffer.from(data).toString()));
  await network.flush();
  proxy.hang();
  const lost = connection(network, false);
  const chunk = new Uint8Array(1_000_000);
  const waits = Array.from({ length: 40 }, () => network.publish('elsewhere', chunk));
  expect(waits.some((wait) => wait !== undefined)).toBe(true);
  const refused = expect(network.directory.nodes.create('a', { name: 'a' } as never)).rejects.toMatchObject({
    code: 'FLEET_UNREACHABLE',
  });
  for (let i = 0; i < 100; i += 1) await other.publish('much', chunk);
  await refused;
  await lost;
  await Promise.all(waits);
  const back = connection(network, true);
  proxy.heal();
  await back;
  await other.publish('much', 'after');
  await other.flush();
  await network.flush();
  expect(received).toEqual(['after']);
});

test('a deleted bucket is created again, and its entries are reported as removed', async () => {
  const fleet = `deleted${++fleets}`;
  const clock = new ManualClock();
  const [network, watcher] = [await open(fleet), await open(fleet, { clock })];
  const { nodes } = network.directory;
  const lease = { session: 's', node: 'n' };
  let renewal = (await network.leases.table.create('node.n', lease))!;
  await nodes.create('a', { name: 'a' } as never);
  const revision = (await nodes.create('b', { name: 'b' } as never))!;
  const said: string[] = [];
  network.onConnection = (_, text) => said.push(text);
  const [own, others] = [new Map<string, unknown>(), new Map<string, unknown>()];
  const into = (seen: Map<string, unknown>) => (entry: { key: string; value: unknown }) =>
    seen.set(entry.key, entry.value);
  await nodes.watch(into(own));
  await watcher.directory.nodes.watch(into(others));
  expect(await watcher.directory.nodes.isSettled(20_000)).toBe(true);
  await (await manager()).streams.delete(`KV_standpipe-${fleet}-nodes`);
  // The update fails, because the revision belongs to the deleted bucket.
  expect(await nodes.update('b', { name: 'b' } as never, revision)).toBeUndefined();
  expect(said.join()).toContain(`The bucket standpipe-${fleet}-nodes was deleted in NATS`);
  expect(await nodes.create('a', { name: 'again' } as never)).toBe(1);
  const expected = new Map<string, unknown>([
    ['a', { name: 'again' }],
    ['b', undefined],
  ]);
  await expect.poll(() => own).toEqual(expected);
  expect(await watcher.directory.nodes.isSettled(20_000)).toBe(false);
  // The other node detects the deletion by missing heartbeats.
  await expect
    .poll(() => {
      clock.advance(20_000);
      return others;
    })
    .toEqual(expected);
  // Renewals show the clock of NATS, also to a program that joins later.
  const joined = await open(fleet);
  expect(await joined.directory.nodes.isSettled(20_000)).toBe(false);
  expect(await joined.directory.claims.isSettled(20_000)).toBe(true);
  for (const { directory } of [watcher, joined]) {
    while (!(await directory.nodes.isSettled(10))) {
      renewal = (await network.leases.table.update('node.n', lease, renewal))!;
    }
  }
});

test('all watches of a table share one consumer, and each gets every entry first, in order', async () => {
  const fleet = `shared${++fleets}`;
  const network = await open(fleet);
  const { nodes } = network.directory;
  const said: string[] = [];
  network.onConnection = (_, text) => said.push(text);
  const seen = [[], [], []] as string[][];
  const into = (at: number) => nodes.watch(({ key, value }) => seen[at]!.push(`${key} ${value?.pid}`));
  const [stop] = await Promise.all([into(0), into(1), nodes.watch(() => expect.unreachable('of a listener'))]);
  const first = (await nodes.create('a', { pid: 1 } as never))!;
  await nodes.create('b', { pid: 2 } as never);
  await nodes.update('a', { pid: 3 } as never, first);
  await expect.poll(() => seen).toEqual([['a 1', 'b 2', 'a 3'], ['a 1', 'b 2', 'a 3'], []]);
  expect(said.join()).toContain('of a listener');
  await into(2);
  expect(seen[2]).toEqual(['b 2', 'a 3']);
  stop();
  stop();
  await nodes.create('c', { pid: 4 } as never);
  await expect.poll(() => [seen[1]!.at(-1), seen[2]!.at(-1)]).toEqual(['c 4', 'c 4']);
  expect(seen[0]!.at(-1)).toBe('a 3');
  const { consumers } = await manager();
  const names: string[] = [];
  for await (const { name } of consumers.list(`KV_standpipe-${fleet}-nodes`)) names.push(name);
  expect(names).toHaveLength(1);
});

test('a consumer that JetStream has lost is created again without missing entries', async () => {
  const fleet = `consumer${++fleets}`;
  const clock = new ManualClock();
  const { claims } = (await open(fleet, { clock })).directory;
  const seen: string[] = [];
  await claims.watch(({ key }) => seen.push(key));
  await claims.create('a', {} as never);
  await expect.poll(() => seen).toEqual(['a']);
  const { consumers } = await manager();
  const stream = `KV_standpipe-${fleet}-claims`;
  for await (const { name } of consumers.list(stream)) await consumers.delete(stream, name);
  await claims.create('b', {} as never);
  await claims.create('c', {} as never);
  await expect
    .poll(() => {
      clock.advance(20_000);
      return seen;
    })
    .toEqual(['a', 'b', 'c']);
});

test('an existing bucket keeps its lifetime', async () => {
  const fleet = `lifetime${++fleets}`;
  await open(fleet, { lifetimeMs: 2000 });
  const { leases } = await open(fleet, { lifetimeMs: 9000 });
  expect(leases.lifetimeMs).toBe(2000);
  // The lifetime stays even if a node with another setting creates the bucket again, because other nodes rely on it.
  const { streams } = await manager();
  const stream = `KV_standpipe-${fleet}-leases`;
  await streams.delete(stream);
  expect(await leases.table.keys()).toEqual(new Set());
  expect((await streams.info(stream)).config.max_age).toBe(2000 * 1e6);
});

test('a bucket that keeps leases forever is refused', async () => {
  const name = `standpipe-forever-leases`;
  await (await manager()).streams.add({ name: `KV_${name}`, subjects: [`$KV.${name}.>`] });
  await expect(open('forever')).rejects.toThrow('keeps leases forever');
});

test('an entry that is not a JSON object is reported, and read as an empty record', async () => {
  const fleet = `odd${++fleets}`;
  const network = await open(fleet);
  const said: string[] = [];
  network.onConnection = (_, text) => said.push(text);
  await network.directory.nodes.create('a', { name: 'a' } as never);
  for (const [key, text] of [
    ['odd', '{"name":'],
    ['none', 'null'],
  ]) {
    network.publish(`$KV.standpipe-${fleet}-nodes.${key}`, text!);
  }
  await network.flush();
  const { nodes } = network.directory;
  const seen: [string, unknown][] = [];
  await nodes.watch(({ key, value }) => seen.push([key, value]));
  const expected = [
    ['a', { name: 'a' }],
    ['odd', {}],
    ['none', {}],
  ];
  expect(seen).toEqual(expected);
  for (const [key, value] of expected) expect((await nodes.get(key as string))?.value).toEqual(value);
  const saying = (key: string) =>
    `The entry ${key} of KV_standpipe-${fleet}-nodes is not a JSON object, and is ignored`;
  expect(said).toEqual(['odd', 'none', 'odd', 'none'].map(saying));
  const { revision } = (await nodes.get('odd'))!;
  expect(await nodes.update('odd', { name: 'odd' } as never, revision)).toBeGreaterThan(revision);
});
