// Nodes of a fleet in one process, each with its own host, over a real NATS server.

import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/base/errors.ts';
import { configOf, type GivenConfig } from '../../src/config/given-config.ts';
import type { ClusterNetwork, Place, ServerRecord } from '../../src/host/fleet/cluster-network.ts';
import { FleetNode, type JoinOptions } from '../../src/host/fleet/fleet-node.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { askNode } from '../../src/host/fleet/node/answer-node-requests.ts';
import { keyOfServer, keyOfSlot } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { undescribed } from '../../src/host/services/typed-client.ts';
import { Client } from '../../src/mcp/client/client.ts';
import { RAN } from '../../src/mcp/meta.ts';
import { newClient } from '../../src/mcp/service.ts';
import { contractServer } from '../contract/service.contract.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { isAlive, until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const server = (name: string) => fileURLToPath(new URL(`../fixtures/cli/${name}`, import.meta.url));
const everything = { command: process.execPath, args: [server('everything.mjs')] };

/** A server whose tool answers with the `_meta` of its request. */
const GIVES_META_BACK = `
const tools = [{ name: 'meta', inputSchema: { type: 'object' } }];
const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'meta', version: '1' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const text = JSON.stringify(params?._meta ?? {});
  const result = { initialize: info, 'tools/list': { tools }, 'tools/call': { content: [{ type: 'text', text }] } }[method];
  const error = { code: -32601, message: 'Method not found' };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
});`;

/** An entry that runs everything.mjs, but exits at once on the nodes in `FAILS_ON`. */
const failing = (failsOn: string) => ({
  command: process.execPath,
  args: [
    '-e',
    `process.env.FAILS_ON.split(',').includes(process.env.STANDPIPE_NODE) ? process.exit(3) : import(${JSON.stringify(server('everything.mjs'))})`,
  ],
  env: { FAILS_ON: failsOn },
  restart: { maxRestarts: 1, backoffMs: 10 },
});

interface Joined {
  node: FleetNode;
  host: Host;
  notes: string[];
  network: ClusterNetwork;
  end(): Promise<void>;
}

let fleets = 0;
let fleet = '';
let lifetimeMs: number | undefined;
const joined = new Set<Joined>();

afterEach(async () => {
  for (const each of [...joined]) await each.end();
});

/** Lifetime of leases that must stay on a busy machine. */
const LONG_MS = 30_000;
/** Lifetime of leases in tests where another node must take over the placing soon: it notices the loss within a part of this time. */
const MEDIUM_MS = 10_000;

function newFleet(leaseMs?: number): void {
  fleet = `fleet${++fleets}`;
  lifetimeMs = leaseMs;
}

const open = (name: string) => openNetwork({ servers: [nats.url], fleet, name, lifetimeMs });

async function join(
  name: string,
  own: GivenConfig['mcpServers'] = {},
  options: Partial<JoinOptions> = {},
): Promise<Joined> {
  const network = await open(name);
  const notes: string[] = [];
  let node: FleetNode | undefined;
  const host = new Host({ mcpServers: own }, { serviceOf: (config, wire) => node?.serviceOf(config, wire) });
  node = await FleetNode.join(host, { network, node: name, note: (text) => notes.push(text), ...options });
  void host.start();
  const each: Joined = {
    node,
    host,
    notes,
    network,
    async end() {
      joined.delete(each);
      await node.leave();
      await host.stop();
      await network.close();
    },
  };
  joined.add(each);
  return each;
}

/** Adds a server to the fleet, which places it. */
async function apply(name: string, given: Partial<Place> = {}, entry: object = everything): Promise<void> {
  const full: Place = { labels: [], replicas: 1, spread: 'prefer', stateless: false, ...given };
  await withNetwork(async ({ directory }) => {
    const record = { name, entry: entry as Record<string, unknown>, place: full };
    await directory.servers.create(keyOfServer(name), record);
  });
}

async function withNetwork<T>(work: (network: ClusterNetwork) => Promise<T>): Promise<T> {
  const network = await open('operator');
  try {
    return await work(network);
  } finally {
    await network.close();
  }
}

async function deleteBucket(name: string): Promise<void> {
  const connection = await connect({ servers: nats.url });
  await (await jetstreamManager(connection)).streams.delete(`KV_standpipe-${fleet}-${name}`);
  await connection.close();
}

/** Waits until a server answers, because the nodes see changes of the directory later. */
const knows = ({ host }: Joined, name: string) =>
  until(`${name} answers`, async () => {
    const tools = host.names.includes(name) ? await host.listTools(name).catch(() => []) : [];
    return tools.length > 0;
  });
const pidOf = ({ host }: Joined, name: string) => host.status().find((status) => status.name === name)?.pid;
const greet = async ({ host }: Joined, name: string) => {
  const { content, _meta } = await host.callTool(name, 'greet', { name: 'Ada' }, { meta: { [RAN]: true } });
  expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
  return _meta?.[RAN] as ProcessIdentity;
};

test('a server of the fleet runs on one node and is called from both', async () => {
  newFleet(LONG_MS);
  const one = await join('one', {}, { labels: ['gpu'] });
  const two = await join('two');
  await apply('files', { labels: ['gpu'] });
  await knows(one, 'files');
  await knows(two, 'files');
  const ran = await greet(two, 'files');
  expect(ran).toEqual({ server: 'files#1', pid: pidOf(one, 'files#1'), generation: 1, node: 'one', claim: 1 });
  expect(await greet(one, 'files')).toEqual(ran);
  expect(one.notes).toContain('files#1 was placed here (generation 1)');
});

test.each([
  { stateless: false, processes: 1 },
  { stateless: true, processes: 2 },
])(
  'two calls with questions use $processes processes of a server with "stateless": $stateless',
  async ({ stateless, processes }) => {
    newFleet(LONG_MS);
    const one = await join('one');
    const args = [fileURLToPath(new URL('../fixtures/gateway/asks.mjs', import.meta.url))];
    await apply('asks', { stateless }, { ...everything, args, revision: '2025-11-25', asks: ['elicit'] });
    await knows(one, 'asks');
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    const elicit = async () => {
      asked++;
      await answered;
      return { action: 'accept' as const, content: { secret: 'x' } };
    };
    const call = (principal: string) => {
      const options = { elicit, identity: newClient(principal), checkOutput: false };
      return new Client(one.host.service('asks'), undescribed, options).callTool('elicit', { secret: principal });
    };
    const status = () => one.host.status().find(({ name }) => name === 'asks#1')!;
    const calls = [call('alice')];
    await until('it asks', () => asked === 1);
    calls.push(call('bob'));
    await until('both run', () => status().calls === 2 || status().processes.length === 2);
    answer();
    await Promise.allSettled(calls);
    expect(status().processes).toHaveLength(processes);
  },
);

test('a node that leaves hands over its servers, and leaves no record behind', async () => {
  newFleet(MEDIUM_MS);
  const [one, two] = [await join('one'), await join('two')];
  await apply('files');
  await knows(one, 'files');
  await knows(two, 'files');
  const before = await greet(one, 'files');
  const [owner, other] = before.node === 'one' ? [one, two] : [two, one];
  const slow = other.host.callTool('files', 'works', { ms: 300 });
  await until('it runs', () => (owner.host.status().find(({ name }) => name === 'files#1')?.calls ?? 0) > 1);
  await owner.end();
  expect((await slow).content).toEqual([{ type: 'text', text: 'done' }]);
  expect(isAlive(before.pid!)).toBe(false);
  expect(await greet(other, 'files')).toMatchObject({ node: other.node.name, claim: 2 });
  const { nodes, servers } = await other.node.status();
  expect(nodes.map(({ name }) => name)).toEqual([other.node.name]);
  expect(servers[0]!.replicas).toMatchObject([{ node: other.node.name, generation: 2, isInForce: true }]);
  await withNetwork(async ({ leases }) => expect(await leases.table.keys()).not.toContain(`node.${owner.node.name}`));
});

test('a changed entry restarts one replica after the other without a failed call', async () => {
  newFleet(LONG_MS);
  const operator = await open('operator');
  const { servers, claims } = operator.directory;
  let applied = Number.POSITIVE_INFINITY;
  const renewed = async () => {
    const all = await Promise.all([1, 2].map((slot) => claims.get(`files.${slot}`)));
    return all.filter((entry) => entry!.value.config > applied).length;
  };
  const whenOneEnds: Promise<number>[] = [];
  const note = (text: string) => {
    if (text.includes('its entry has changed')) whenOneEnds.push(renewed());
  };
  const change = async (by: (record: ServerRecord) => Partial<ServerRecord>) => {
    const { value, revision } = (await servers.get('files'))!;
    applied = revision;
    await servers.update('files', { ...value, ...by(value) }, revision);
    await until('both are renewed', async () => (await renewed()) === 2);
  };
  const nodes = [await join('one', {}, { labels: ['x'], note }), await join('two', {}, { labels: ['x'], note })];
  const caller = await join('caller');
  await apply('files', { labels: ['x'], replicas: 2, spread: 'nodes' });
  const pids = () => nodes.flatMap((node) => [1, 2].flatMap((slot) => pidOf(node, `files#${slot}`) ?? []));
  await until('both run', () => pids().length === 2);
  await knows(caller, 'files');
  const before = pids();
  const slow = Array.from({ length: 8 }, () => caller.host.callTool('files', 'works', { ms: 500 }));
  let isOver = false;
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) await greet(caller, 'files');
  });
  await change(() => ({ entry: { ...everything, env: { CHANGED: '1' } } }));
  isOver = true;
  await Promise.all(load);
  for (const { content } of await Promise.all(slow)) expect(content).toEqual([{ type: 'text', text: 'done' }]);
  expect(before.filter(isAlive)).toEqual([]);
  expect(whenOneEnds).toHaveLength(2);
  expect(await whenOneEnds[1]).toBeGreaterThan(0); // the first replica was ready again
  const after = pids();
  expect(after).toHaveLength(2);
  await change(({ place }) => ({ place: { ...place, spread: 'prefer' } }));
  expect(pids()).toEqual(after); // a change of the placement does not restart a process
  await operator.close();
});

test('the servers of a node are offered to the others, and hide those of the fleet there', async () => {
  newFleet(LONG_MS);
  const one = await join('one', { files: everything });
  const two = await join('two', { quiet: everything }, { offers: false });
  await apply('files');
  await knows(two, 'files');
  await knows(two, 'files@one');
  expect(await greet(two, 'files@one')).toMatchObject({ server: 'files', node: 'one', pid: pidOf(one, 'files') });
  expect(one.host.names.filter((name) => name.startsWith('files'))).toEqual(expect.arrayContaining(['files']));
  expect(await greet(one, 'files')).toEqual({ server: 'files', pid: pidOf(one, 'files'), generation: 1 });
  expect(one.notes).toContain('The server "files" of this node hides the fleet server of the same name on this node');
  expect(one.host.names).not.toContain('quiet@two');

  await one.node.ownConfig(configOf({ mcpServers: { other: everything } }));
  await knows(two, 'other@one');
  await knows(one, 'files');
  expect(two.host.names).not.toContain('files@one');
  expect(await greet(two, 'other@one')).toMatchObject({ server: 'other', node: 'one' });
});

test('the trace of a request passes to the node that answers it', async () => {
  newFleet(LONG_MS);
  const one = await join('one', { meta: { command: process.execPath, args: ['-e', GIVES_META_BACK] } });
  const two = await join('two');
  await knows(two, 'meta@one');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { content } = await two.host.callTool('meta@one', 'meta', {}, { meta: { traceparent } });
  expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({ traceparent });
  expect(one.host.status()[0]).toMatchObject({ calls: 1 });
});

test('a node answers the control methods of its socket for other nodes, except those that end it', async () => {
  newFleet(LONG_MS);
  const one = await join('one');
  const ask = (method: string) =>
    withNetwork((network) =>
      askNode(network, 'one', 'standpipe/control', { method: method as 'standpipe/down', params: {} }, 10_000),
    );
  await expect(ask('standpipe/status')).resolves.toMatchObject({ pid: process.pid });
  await expect(ask('standpipe/down')).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  await expect(ask('standpipe/fleet-address')).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  await expect(ask('toString')).rejects.toThrow('Method not found: toString');
  await expect(one.node.control('nowhere', 'standpipe/status', {})).rejects.toMatchObject({ code: 'NOT_SENT' });
});

test('a second node with the same name is refused', async () => {
  newFleet();
  await join('one');
  await expect(join('one')).rejects.toMatchObject({ code: 'NODE_NAME_TAKEN' });
});

test('a node that waits for the lease of its predecessor can be stopped', async () => {
  newFleet(600_000);
  const lease = { session: 'earlier', node: 'late' };
  await withNetwork(({ leases }) => leases.table.create('node.late', lease));
  const ending = new AbortController();
  const joining = join('late', {}, { signal: ending.signal });
  ending.abort(new Error('the host ends'));
  await expect(joining).rejects.toThrow('the host ends');
  await withNetwork(async ({ leases, directory }) => {
    expect(await leases.table.get('node.late')).toMatchObject({ value: lease });
    expect(await directory.nodes.keys()).toEqual(new Set());
  });
});

test('an entry that cannot run on a node is refused with the reason, and stays unclaimed', async () => {
  newFleet(LONG_MS);
  const one = await join('one');
  await apply('files', {}, { command: 'x', env: { TOKEN: '${env:FLEET_TEST_NOT_SET}' } });
  await until('it is refused', () => one.notes.some((note) => note.includes('FLEET_TEST_NOT_SET')));
  const { servers } = await one.node.status();
  expect(servers[0]!.replicas).toMatchObject([{ generation: 0, held: false, isInForce: false }]);
  expect(servers[0]!.replicas[0]!.reason).toContain('one refused it: Variable FLEET_TEST_NOT_SET is not set');
});

test('without NATS a node stops servers of the fleet and keeps its own; it recovers when NATS is reachable again', async () => {
  newFleet(6_000); // the lease is lost 0.6 of its lifetime after NATS has stopped
  const one = await join('one', { own: everything });
  await apply('files');
  await apply('pure', { stateless: true });
  await knows(one, 'files');
  await knows(one, 'pure');
  const before = await greet(one, 'files');
  const stateless = await greet(one, 'pure');
  const known = await one.node.status();
  expect(known).toMatchObject({ isConnected: true, placer: 'one', nodes: [{ name: 'one', isAlive: true }] });
  await nats.stop();
  await until('the lease is lost', () => one.notes.some((note) => note.startsWith('The lease of this node is lost')));
  await until('its process has ended', () => !isAlive(before.pid!));
  expect(await greet(one, 'own')).toMatchObject({ server: 'own' });
  expect(await greet(one, 'pure')).toEqual(stateless);
  expect(one.node.figures()).toMatchObject({ isConnected: false, hasLease: false, claims: 0 });
  expect(await one.node.status()).toEqual({ ...known, isConnected: false });
  await one.node.ownConfig(configOf({ mcpServers: { own: everything, more: everything } }));
  expect(await greet(one, 'more')).toMatchObject({ server: 'more' });

  await nats.start();
  await until('the lease is back', () => one.notes.includes('This node has a lease again'));
  const after = await greet(one, 'files');
  expect(after).toMatchObject({ node: 'one', server: 'files#1' });
  expect(after.claim).toBeGreaterThan(before.claim!);
  await until('the status shows it', async () => {
    const { isConnected, servers } = await one.node.status();
    const files = servers.find(({ name }) => name === 'files')?.replicas[0];
    return isConnected && files?.generation === after.claim && files?.isInForce === true;
  });
  expect(await greet(one, 'own')).toMatchObject({ server: 'own' });
  await until('its new server is offered', async () => (await one.node.status()).nodes[0]!.offers.includes('more'));
});

test('calls of a node that has ended are cancelled at the node that runs them', async () => {
  newFleet(2000);
  const one = await join('one', { contract: { command: process.execPath, args: [contractServer] } });
  const two = await join('two');
  await knows(two, 'contract@one');
  const waiting = two.host.callTool('contract@one', 'wait').catch(() => undefined);
  await until('it runs', () => (one.host.status()[0]?.calls ?? 0) > 0);
  await two.network.close();
  expect((await one.host.callTool('contract', 'cancelled', { atLeast: 1 })).content).toMatchObject([{ text: '1' }]);
  await two.end();
  await waiting;
});

test('a running node writes its removed entry again, with the same draining state', async () => {
  newFleet(LONG_MS);
  const one = await join('one', { files: everything });
  const { nodes } = one.network.directory;
  const before = (await nodes.get('one'))!;
  expect(before.value).toMatchObject({ name: 'one', offers: ['files'], draining: false });
  for (const draining of [true, false]) {
    const { value, revision } = (await nodes.get('one'))!;
    const changed = (await nodes.update('one', { ...value, draining }, revision))!;
    await until('the node knows it', async () => (await one.node.status()).nodes[0]?.draining === draining);
    expect(await nodes.remove('one', changed)).toBe(true);
    await until('the entry is there again', async () => (await nodes.get('one')) !== undefined);
    expect((await nodes.get('one'))!.value).toEqual({ ...before.value, draining });
  }
  await deleteBucket('nodes');
  await until('the entry is there again', async () => (await nodes.get('one')) !== undefined);
  await one.node.leave();
  expect(await nodes.get('one')).toBeUndefined();
});

test('an owner claims its slot again after the table was deleted, before another node can take it', async () => {
  newFleet(MEDIUM_MS);
  const [one, two] = [await join('one'), await join('two')];
  await apply('files');
  await knows(one, 'files');
  await knows(two, 'files');
  const { node, pid } = await greet(one, 'files');
  const owner = node === 'one' ? one : two;
  const key = keyOfSlot('files', 1);
  const claimOf = () => withNetwork(async ({ directory }) => (await directory.claims.get(key))?.value);
  const before = await claimOf();
  await deleteBucket('claims');
  await Promise.all([one, two].map(({ network }) => network.directory.claims.get(key))); // creates the table again
  await until('the claim is there again', async () => (await claimOf()) !== undefined);
  expect(await claimOf()).toEqual(before);
  expect(await greet(one, 'files')).toMatchObject({ node, pid, claim: 1 });
  const places = [one, two].filter(({ host }) => host.names.includes('files#1'));
  expect(places).toEqual([owner]);
  await owner.end();
  await until('the other node takes it', async () => (await claimOf())?.generation === 2);
});

test('a failing server is moved once to each node, and its reason names the nodes where it failed', async () => {
  newFleet(LONG_MS);
  const one = await join('one');
  await apply('files', {}, failing('one,two'));
  const replica = async () => (await one.node.status()).servers[0]!.replicas[0]!;
  const stays = async (text: string) =>
    until(`it says: ${text}`, async () => (await replica()).reason?.startsWith(text) === true);
  await stays('it failed on one, and no other node may run it. On one:');
  expect((await replica()).reason).toContain('code 3');
  // A change of its placement does not start the server again.
  await withNetwork(async ({ directory: { servers } }) => {
    const { value, revision } = (await servers.get('files'))!;
    const changed = await servers.update('files', { ...value, place: { ...value.place, spread: 'nodes' } }, revision);
    const claimOf = () => one.network.directory.claims.get(keyOfSlot('files', 1));
    await until('the claim has the change', async () => (await claimOf())?.value.config === changed);
  });
  const two = await join('two');
  await stays('it failed on one, two, and no other node may run it. On two:');
  expect(await replica()).toMatchObject({ node: 'two', generation: 2, isInForce: true });

  const three = await join('three');
  await knows(three, 'files');
  expect(await greet(one, 'files')).toMatchObject({ node: 'three', claim: 3 });
  for (const { host } of [one, two]) expect(host.names).not.toContain('files#1');

  // A changed entry starts the server again, and so does a command on the node where it failed.
  await withNetwork(async ({ directory: { servers } }) => {
    const { value, revision } = (await servers.get('files'))!;
    await servers.update('files', { ...value, entry: failing('one,two,three') }, revision);
  });
  await stays('it failed on three, one, two, and no other node may run it.');
  const { generation } = await replica();
  const owner = [one, two, three].find(({ host }) => host.names.includes('files#1'))!;
  await owner.host.restartServer('files#1').catch(() => undefined);
  await until('it is tried again on each node', async () => (await replica()).generation === generation + 2);
  await stays('it failed on two, ');
});

test('does not run a server of a node that is named like a replica, and accepts any other name', async () => {
  newFleet(LONG_MS);
  const odd = 'with.dots, spaces > 日本 *';
  const [long, half] = ['ä'.repeat(500), 'half a pair \ud800'];
  const one = await join('one', { 'files#1': everything, [odd]: everything, [long]: everything, [half]: everything });
  const two = await join('two', {}, { labels: ['two'] });
  const isNotRun = 'The server "files#1" of this node is not run: its name has the form of a replica. Rename it';
  expect(one.notes.filter((note) => note === isNotRun)).toHaveLength(1);
  expect(one.host.rejected()).toMatchObject([{ server: 'files#1', severity: 'error' }]);
  await expect(one.host.callTool('files#1', 'greet', {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await knows(two, `${odd}@one`);
  expect(await greet(two, `${odd}@one`)).toMatchObject({ server: odd, node: 'one', pid: pidOf(one, odd) });
  expect(two.host.names.filter((name) => name.endsWith('@one'))).toEqual([`${odd}@one`]);
  expect(one.notes.filter((note) => note.includes('is not offered'))).toHaveLength(2);

  await apply('files', { labels: ['two'] });
  await knows(one, 'files');
  const before = await greet(one, 'files');
  await two.node.ownConfig(configOf({ mcpServers: { 'files#1': everything, other: everything } }));
  expect(two.notes).toContain(isNotRun);
  expect(await greet(one, 'files')).toEqual(before);
  expect(two.host.names.filter((name) => name === 'files#1')).toHaveLength(1);
  expect(await greet(two, 'other')).toMatchObject({ server: 'other' });
});
