// Three nodes under load that are killed, stopped and cut off, with a lease of three seconds: their servers move, stale calls to a paused
// owner are refused, and the history of all calls has no violation. On a busy machine other nodes lose such a lease too: then calls may
// fail, and servers may move again.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClaimRecord } from '../../src/host/fleet/cluster-network.ts';
import { instanceOf, subjectsOf } from '../../src/host/fleet/subjects.ts';
import { SeededRandom } from '../chaos/seeded-random.ts';
import { callOnce, Load } from '../fixtures/fleet/load.ts';
import type { NodeProcess } from '../fixtures/fleet/node-process.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { isAlive, until } from '../fixtures/server.ts';
import type { Call } from './history.ts';

const LEASE_MS = 3_000;
const names = ['a', 'b', 'c'];
const servers = ['one', 'two', 'three', 'stubborn'];
const subjects = subjectsOf('test');
/** Calls that the tests make besides the load. */
const ownCalls: Call[] = [];

let fleet: TestFleet;
let load: Load;

const node = (name: string): NodeProcess => fleet.nodes.get(name)!;
const start = async (name: string) =>
  fleet.start(name, { servers: { mine: await fleet.journalEntry(`mine-of-${name}`) } });

/** Makes a call through this node. Resolves to the text of its answer. */
async function answered(name: string, server: string, ranAs = server): Promise<string> {
  const { call, settled } = callOnce(node(name), server, ranAs);
  ownCalls.push(call);
  const fate = await settled;
  if (fate.kind !== 'answered') throw new Error(`${server} through ${name}: ${fate.code} ${fate.text}`);
  return fate.text;
}

/** Repeats a call until a server or node that restarts answers it. */
async function answeredAgain(name: string, server: string): Promise<string> {
  let text = '';
  await until(`${server} answers through ${name}`, async () => {
    text = await answered(name, server).catch(() => '');
    return text !== '';
  });
  return text;
}

/** Pid of the process of a claim, from the history. */
const pidOf = ({ server, node, generation }: ClaimRecord): number => {
  const opened = fleet.history().findLast((line) => line.startsWith(`open ${server} ${node} ${generation} `));
  return Number(opened?.split(' ')[4]);
};
const after = (lost: ClaimRecord) => (claim: ClaimRecord) =>
  claim.node !== lost.node && claim.generation > lost.generation;

beforeAll(async () => {
  fleet = await TestFleet.open(LEASE_MS);
  await Promise.all(names.map(start));
  for (const server of servers) await fleet.add(server);
  await fleet.add('many', { replicas: 3, stateless: true });
  for (const server of servers) await fleet.whenHeld(server);
  load = new Load({
    nodes: () => [...fleet.nodes.values()],
    servers: [...servers, 'many'],
    random: new SeededRandom(16),
    delayMs: 1,
  });
  await until('calls are answered', () => load.answered > 100);
});

afterAll(() => load?.stop());

test('moves the slots of the placing node to other nodes, in the next generation, when it is killed', async () => {
  const placer = (await fleet.network.leases.table.get('placer'))!.value.node;
  const held = await Promise.all(servers.map((server) => fleet.whenHeld(server)));
  const lost = held.filter(({ node }) => node === placer);
  await node(placer).end('SIGKILL');
  for (const claim of lost) await fleet.whenHeld(claim.server, after(claim));
  await until('another node places', async () => {
    const now = await fleet.network.leases.table.get('placer');
    return now !== undefined && now.value.node !== placer;
  });
  const [other] = names.filter((name) => name !== placer);
  for (const { server } of lost) expect((await answeredAgain(other!, server)).split(' ')[2]).not.toBe(placer);
  await start(placer);
});

test('a stopped owner leaves no processes behind, and is refused when it continues', async () => {
  const lost = await fleet.whenHeld('one');
  const pid = pidOf(lost);
  const wasReady = node(lost.node).events.length;
  node(lost.node).signal('SIGSTOP');
  // The call stays in the socket of the stopped owner until the owner continues.
  const stale: Call = { id: 'stale', server: 'one', isRepeatable: false, fate: { kind: 'failed', code: 'NOT_SENT' } };
  ownCalls.push(stale);
  const answers: string[] = [];
  const reply = subjects.reply('test', 'stale', 1);
  fleet.network.subscribe(reply, ({ data, isUndeliverable }) =>
    answers.push(isUndeliverable ? 'undeliverable' : new TextDecoder().decode(data)),
  );
  let moved: ClaimRecord;
  try {
    moved = await fleet.whenHeld('one', after(lost));
    expect(isAlive(pid)).toBe(false);
    fleet.network.publish(subjects.call(lost.node, instanceOf(lost)), staleRequest, reply);
    await fleet.network.flush();
  } finally {
    node(lost.node).signal('SIGCONT');
  }
  await until('the stale call is answered', () => answers.length > 0);
  expect(answers[0]).toMatch(/^(?:refused moved |undeliverable$)/);
  await until('it has a new session', async () => {
    const lease = await fleet.network.leases.table.get(`node.${lost.node}`);
    return lease !== undefined && lease.value.session !== lost.session;
  });
  expect(node(lost.node).events.length).toBeGreaterThan(wasReady);
  const claim = await fleet.claimOf('one');
  const lease = await fleet.network.leases.table.get(`node.${moved.node}`);
  if (lease?.value.session === moved.session) expect(claim).toMatchObject({ node: moved.node });
  expect(await answeredAgain(lost.node, 'one')).toContain('one');
});

test.each(['cut', 'hang'] as const)(
  'an owner whose connection is broken (%s) stops servers of the fleet, keeps its own, and rejoins',
  async (how) => {
    const lost = await fleet.whenHeld('two');
    const pid = pidOf(lost);
    const proxy = fleet.proxies.get(lost.node)!;
    proxy[how]();
    try {
      await fleet.whenHeld('two', after(lost));
      expect(isAlive(pid)).toBe(false);
      expect(await answered(lost.node, 'mine', `mine-of-${lost.node}`)).toContain(`mine-of-${lost.node}`);
      const [other] = names.filter((name) => name !== lost.node);
      const [, , ranOn, generation] = (await answeredAgain(other!, 'two')).split(' ');
      expect(ranOn).not.toBe(lost.node);
      expect(Number(generation)).toBeGreaterThan(lost.generation);
    } finally {
      proxy.heal();
    }
    expect(await answeredAgain(lost.node, 'two')).toContain('two');
  },
);

test('one of several nodes that claim a slot at once succeeds', async () => {
  // No node has the label, so that the placer does not place this server.
  await fleet.add('nowhere', { labels: ['none'] });
  const ask = (name: string) =>
    fleet.network.request<{ result?: { generation?: number; refused?: string } }>(
      subjects.node(name),
      { method: 'standpipe/place', params: { server: 'nowhere', slot: 1, revision: 0 } },
      30_000,
    );
  await until('all have a lease', async () => {
    const keys = await fleet.network.leases.table.keys();
    return names.every((name) => keys.has(`node.${name}`));
  });
  const replies = await Promise.all(names.map(ask));
  const generations = replies.flatMap(({ result }) => result?.generation ?? []);
  expect(generations).toEqual([1]);
  expect(replies.filter(({ result }) => result?.refused !== undefined)).toHaveLength(2);
  // The placer releases the slot, because the node lacks the label.
  await until('it is given back', async () => (await fleet.claimOf('nowhere'))?.held === false);
});

test('own servers run while NATS is stopped for longer than a lease, and the fleet recovers', async () => {
  const held = await Promise.all(servers.map((server) => fleet.whenHeld(server)));
  await fleet.nats.stop();
  const pids = held.map(pidOf);
  await until('nodes stop what they may no longer own', () => !pids.some(isAlive));
  for (const name of names) await answered(name, 'mine', `mine-of-${name}`);
  await fleet.nats.start();
  for (const claim of held) {
    await fleet.whenHeld(claim.server, ({ generation }) => generation > claim.generation);
    for (const name of names) await answeredAgain(name, claim.server);
  }
});

test('the history of all tests in this file has no violation', async () => {
  await load.stop();
  console.info([JSON.stringify(load.outcomes()), ...load.surprises()].join('\n'));
  const { violations, runs } = fleet.check([...load.calls, ...ownCalls]);
  expect(violations).toEqual([]);
  expect(runs).toBeGreaterThan(100);
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'stale', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  'dev.standpipe/caller': { id: 'stale', affinity: 'stale' },
};
const staleRequest = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'effect', arguments: { id: 'stale' }, _meta: envelope },
});
