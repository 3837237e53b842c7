// Administration of a fleet under load: nodes join, are drained and leave, NATS is restarted, all nodes are stopped. No call fails, because
// no lease expires meanwhile.

import { beforeAll, expect, test } from 'vitest';
import type { ClaimRecord } from '../../src/host/fleet/cluster-network.ts';
import { SeededRandom } from '../chaos/seeded-random.ts';
import { runCli } from '../cli/run-cli.ts';
import { Load } from '../fixtures/fleet/load.ts';
import type { NodeProcess } from '../fixtures/fleet/node-process.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { until } from '../fixtures/server.ts';
import type { Call } from './history.ts';

const names = ['a', 'b', 'c'];
const servers = ['one', 'two', 'three', 'four'];
const loads: Load[] = [];
let fleet: TestFleet;

const place = ({ server, slot, node, generation }: ClaimRecord) => ({ server, slot, node, generation });
const placement = async () =>
  Promise.all(servers.map(async (server) => place((await fleet.whenHeld(server)) as ClaimRecord)));

function begin(nodes: readonly NodeProcess[]): Load {
  const random = new SeededRandom(7);
  const load = new Load({ nodes: () => nodes, servers: [...servers, 'many'], random, repeatable: 0, delayMs: 2 });
  loads.push(load);
  return load;
}

/** Acts while clients call through the gateways of the given nodes. Resolves to the calls that failed. */
async function underLoad(nodes: readonly NodeProcess[], act: () => Promise<void>): Promise<Call[]> {
  const load = begin(nodes);
  const more = async () => {
    const soFar = load.answered;
    await until('calls are answered', () => load.answered > soFar + 100);
  };
  try {
    await more();
    await act();
    await more();
  } finally {
    await load.stop();
  }
  return load.calls.filter(({ fate }) => fate?.kind !== 'answered');
}

const nodes = (...wanted: string[]) => wanted.map((name) => fleet.nodes.get(name)!);

beforeAll(async () => {
  fleet = await TestFleet.open(30_000);
  await Promise.all(names.map((name) => fleet.start(name)));
  for (const server of servers) await fleet.add(server);
  await fleet.add('many', { replicas: 3, stateless: true });
  await placement();
  for (const slot of [1, 2, 3]) await fleet.whenHeld('many', () => true, slot);
});

test('a node that joins and leaves does not move other servers, and no call fails', async () => {
  const before = await placement();
  const failed = await underLoad(nodes(...names), async () => {
    const joined = await fleet.start('d');
    await until('it is in the directory', async () => (await fleet.network.directory.nodes.get('d')) !== undefined);
    expect(await joined.end()).toBe(0);
    await until('it has left', async () => (await fleet.network.leases.table.get('node.d')) === undefined);
  });
  expect(failed).toEqual([]);
  expect(await placement()).toEqual(before);
});

test('a drained node hands over all its servers, and no call fails', async () => {
  const before = await placement();
  const drained = before.find(({ server }) => server === 'one')!.node;
  const failed = await underLoad(nodes(...names), async () => {
    const { code, stderr } = await runCli(['drain', drained, '--join', fleet.nats.url, '--fleet', 'test']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    for (const server of servers) await fleet.whenHeld(server, ({ node }) => node !== drained);
  });
  expect(failed).toEqual([]);
  const after = await placement();
  expect(after.filter(({ server }) => before.some((old) => old.server === server && old.node !== drained))).toEqual(
    before.filter(({ node }) => node !== drained),
  );
});

test('NATS is killed and started again, and no call fails', async () => {
  const before = await placement();
  const failed = await underLoad(nodes(...names), async () => {
    await fleet.nats.stop('SIGKILL');
    await fleet.nats.start();
  });
  expect(failed).toEqual([]);
  expect(await placement()).toEqual(before);
});

test('stopping all nodes under load leaves no process and no claim, and the history has no violation', async () => {
  const load = begin(nodes(...names));
  await until('calls are answered', () => load.answered > 100);
  expect(await Promise.all(nodes(...names).map((node) => node.end()))).toEqual([0, 0, 0]);
  await load.stop();
  expect(fleet.livingServers()).toEqual([]);
  expect(await Promise.all(servers.map((server) => fleet.claimOf(server)))).toEqual(
    servers.map(() => expect.objectContaining({ held: false })),
  );
  // The lease of "d" was removed before NATS was killed, and NATS can forget such a removal (`nats-table.ts`).
  expect([...(await fleet.network.leases.table.keys())].filter((key) => key !== 'node.d')).toEqual([]);
  expect(fleet.check(loads.flatMap(({ calls }) => calls)).violations).toEqual([]);
});
