// `standpipe up --join` as processes on a real NATS server: two nodes, one of them without a config, and commands that show and use both.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FleetStatus } from '../../src/host/fleet/fleet-status.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { everythingEntry, finished, fixturePath, folder, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

let nats: NatsServer;
/** A NATS server with two users, one of which has an account without JetStream. */
let strict: NatsServer;
const empty = join(folder, 'empty');
const elsewhere = join(folder, 'elsewhere');
const hosts: ChildProcessWithoutNullStreams[] = [];
let one: Started;
let two: Started;
let config: string;

interface Started {
  child: ChildProcessWithoutNullStreams;
  log(): string;
  says(part: string): Promise<void>;
}

beforeAll(async () => {
  const users = (name: string) => `users: [{ user: ${name}, password: secret }]`;
  writeFileSync(
    join(folder, 'strict.conf'),
    `accounts { FLEET: { jetstream: enabled, ${users('fleet')} }, PLAIN: { ${users('plain')} } }`,
  );
  [nats, strict] = await Promise.all([startNatsServer(), startNatsServer(['-c', join(folder, 'strict.conf')])]);
  mkdirSync(empty);
  mkdirSync(elsewhere);
  config = writeConfig('one.json', { own: everythingEntry, files: everythingEntry });
  // The lease is long enough for a busy machine. A node needs up to a quarter of it to detect that its name is taken.
  const fleet = ['--join', nats.url, '--lease', '10s'];
  one = start(['--config', config, ...fleet, '--node', 'one', '--http', '0', '--labels', 'a,b']);
  two = start([...fleet, '--node', 'two', '--labels', 'gpu']);
  await Promise.all([one, two].map(({ says }) => says('Joined the fleet default')));
});
afterAll(() => Promise.all(hosts.map(stop)));

/** Starts a node in a folder without a config. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = startCli(['up', '--no-inspector', ...args], { cwd: empty, env });
  hosts.push(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  return {
    child,
    log: () => log,
    says: (part) => until(`${part} in: ${log}`, () => log.includes(part)),
  };
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

function asUser(name: string): string {
  return strict.url.replace('//', `//${name}:secret@`);
}

/** Answers of a gateway to a request for a server, and to `/readyz`. */
async function answersOf({ log }: Started, server: string) {
  const { url, token } = gatewayIn(log())!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { status: post, headers: answered } = await fetch(`${url}/${server}`, { method: 'POST', headers, body: '{}' });
  const { status: readyz } = await fetch(`${new URL(url).origin}/readyz`);
  return { post, retryAfter: answered.get('retry-after'), readyz };
}

const isTalks = ({ name }: { name: string }) => name === 'talks#1';
const run = (...args: string[]) => runCli(args, { cwd: empty });
const document = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

const remote = { ...everythingEntry, place: { labels: ['gpu'] } };
const talks = { ...remote, args: [fixturePath('talks.mjs')] };
const lost = { ...everythingEntry, place: { labels: ['x'] } };
const unfit = { command: 'no-such-command', place: { labels: ['gpu'] } };

async function apply(mcpServers: object): Promise<void> {
  const file = join(folder, 'fleet.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  expect(await run('fleet', 'apply', file, '--join', nats.url)).toMatchObject({ code: 0 });
}

test('calls servers of another node, and the answer names node, process and generation', async () => {
  await apply({ files: remote, remote, talks });
  for (const name of ['files', 'remote', 'talks']) await two.says(`${name}#1 ready`);
  const called = await document('call', 'own@one', 'greet', 'name=Ada', '--node', 'two');
  expect(called.ran).toMatchObject({ server: 'own', node: 'one', pid: expect.any(Number), generation: 1 });
  const { stdout, stderr } = await run('call', 'files', 'greet', 'name=Ada', '--node', 'two', '--verbose');
  expect(stdout).toBe('Hello, Ada!\n');
  expect(stderr).toMatch(/Answered by files#1 on node two, process \d+, generation 1\n/);
  const direct = await document('call', 'files', 'greet', 'name=Ada', '--join', nats.url);
  expect(direct).toMatchObject({
    content: [{ text: 'Hello, Ada!' }],
    ran: { server: 'files#1', node: 'two', claim: 1 },
  });
  const tools = await document('tools', '--node', 'two');
  expect(new Set(tools.tools.map(({ server }: { server: string }) => server))).toEqual(
    new Set(['files', 'files@one', 'own@one', 'remote', 'talks']),
  );
});

test('shows nodes, their labels and servers, and the placement', async () => {
  await apply({ files: remote, remote, talks, lost, unfit });
  await two.says('unfit#1 failed');
  const isWithoutNode = ({ name, replicas }: FleetStatus['servers'][number]) =>
    name === 'lost' && replicas[0]?.reason?.includes('label');
  let status!: FleetStatus;
  await until('the reason is known', async () => {
    status = await document('ls', '--fleet', '--config', config);
    return status.servers.some(isWithoutNode);
  });
  expect(Object.keys(status)).toEqual(['fleet', 'self', 'isConnected', 'placer', 'nodes', 'servers']);
  expect(status).toMatchObject({ fleet: 'default', self: 'one', isConnected: true });
  expect(status.nodes).toMatchObject([
    { name: 'one', labels: ['a', 'b'], offers: ['own', 'files'], isAlive: true, draining: false },
    { name: 'two', labels: ['gpu'], offers: [], isAlive: true },
  ]);
  expect(status.servers).toMatchObject([
    { name: 'files', replicas: [{ slot: 1, node: 'two', generation: 1, isInForce: true, state: 'ready' }] },
    { name: 'lost', replicas: [{ slot: 1, isInForce: false, reason: 'no node has the label x' }] },
    { name: 'remote', replicas: [{ slot: 1, node: 'two', isInForce: true }] },
    { name: 'talks', replicas: [{ slot: 1, node: 'two', isInForce: true, pid: expect.any(Number) }] },
    { name: 'unfit', replicas: [{ state: 'failed', lastError: expect.stringContaining('no-such-command') }] },
  ]);
  const { stdout, stderr } = await run('ls', '--fleet', '--join', nats.url);
  expect(stdout).toContain('files\t1 of 1\ttwo\t1\tready\n');
  expect(stdout).toContain('lost\t1 of 1\t-\t-\tnowhere: no node has the label x\n');
  expect(stdout).toContain('unfit\t1 of 1\ttwo\t1\tfailed: Cannot find the command "no-such-command"');
  expect(stderr).toContain('hint: Start a node with --labels x');
  expect(stderr).toContain('hint: `standpipe logs SERVER` shows the output of a failed server');
  await one.says('The server "files" of this node hides the fleet server of the same name on this node');
});

test('a command in the folder of a node without a config uses that node', async () => {
  expect(await run('call', 'own@one', 'greet', 'name=Ada')).toEqual({ code: 0, stdout: 'Hello, Ada!\n', stderr: '' });
  expect(await document('ls', '--fleet')).toMatchObject({ self: 'two' });
  const { code, stderr } = await runCli(['ls'], { cwd: elsewhere });
  expect(code).toBe(2);
  expect(stderr).toContain('2 hosts are running elsewhere\n');
  expect(stderr).toContain('--node two');
  const env = { STANDPIPE_JOIN: nats.url };
  const direct = await runCli(['ls', '--fleet', '--json'], { cwd: elsewhere, env });
  expect(JSON.parse(direct.stdout)).not.toHaveProperty('self');
  expect(JSON.parse(direct.stdout)).toMatchObject({ fleet: 'default', nodes: [{ name: 'one' }, { name: 'two' }] });
});

test('finds a server of one other node without the name of the node', async () => {
  const greets = { code: 0, stdout: 'Hello, Ada!\n', stderr: '' };
  for (const words of [['own', 'greet'], ['own/greet'], ['own_one__greet']]) {
    expect(await run('call', ...words, 'name=Ada', '--node', 'two')).toEqual(greets);
  }
  const { tools } = await document('tools', 'own', '--node', 'two');
  expect(tools[0]).toMatchObject({ server: 'own@one' });
  expect((await run('logs', 'own', '--node', 'two')).code).toBe(0);
});

test('refuses a name that several nodes have with the choices, and lists readable names of tools', async () => {
  const other = writeConfig('three.json', { own: everythingEntry });
  const three = start(['--config', other, '--join', nats.url, '--node', 'three']);
  await three.says('Joined the fleet default');
  await until('both are known', async () => {
    const { code, stderr } = await run('call', 'own', 'greet', 'name=Ada', '--node', 'two');
    return code === 2 && stderr.includes('Nodes of the fleet have it: own@one, own@three.');
  });
  const { url, token } = gatewayIn(one.log())!;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'model', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['own__greet', 'own_three__greet']));
  const { content } = await client.callTool({ name: 'own_three__greet', arguments: { name: 'Eve' } });
  expect(content).toMatchObject([{ text: 'Hello, Eve!' }]);
  await client.close();
  await stop(three.child);
});

test('ls shows on which node each server runs', async () => {
  const { stdout } = await run('ls', '--node', 'two');
  expect(stdout).toMatch(/^talks\t.*\ttwo \(generation 1\)\t/m);
  expect(stdout).toMatch(/^own@one\t.*\tone\t/m);
  expect(stdout).toMatch(/^lost\t.*\tno node\t/m);
  const { servers } = await document('ls', '--node', 'two');
  const runsOn = (name: string) => servers.find((each: { name: string }) => each.name === name).runsOn;
  expect(['talks', 'own@one', 'lost', 'talks#1'].map(runsOn)).toEqual([
    [{ node: 'two', slot: 1, generation: 1 }],
    [{ node: 'one' }],
    [],
    undefined,
  ]);
});

test('logs and restart are forwarded to the nodes that run a server', async () => {
  await document('call', 'talks', 'fail', '--config', config);
  const line = 'two talks#1 stderr: ZeroDivisionError: division by zero\n';
  for (const name of ['talks', 'talks@two']) {
    expect((await run('logs', name, '--config', config)).stdout).toContain(line);
    expect((await run('logs', name, '--join', nats.url)).stdout).toContain(line);
  }
  const pid = async () => (await document('ls', '--node', 'two')).servers.find(isTalks).pid;
  const before = await pid();
  const { servers } = await document('restart', 'talks', '--config', config);
  expect(servers).toMatchObject([{ node: 'two', server: { name: 'talks#1', state: 'ready' } }]);
  expect(await pid()).not.toBe(before);
  expect(await run('stop', 'talks', '--config', config)).toMatchObject({ code: 2 });
  expect((await run('logs', 'talks@one', '--config', config)).stderr).toContain('node "one" does not run it');
  expect((await run('logs', 'other@one', '--config', config)).stderr).toContain('There is no server named "other@one"');
});

test('a gateway serves all servers of the fleet and has its figures', async () => {
  const { url, token } = gatewayIn(one.log())!;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/remote`), { requestInit }));
  expect((await client.callTool({ name: 'greet', arguments: { name: 'Bob' } })).content).toMatchObject([
    { text: 'Hello, Bob!' },
  ]);
  await client.close();
  const { origin } = new URL(url);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${origin}/metrics`, requestInit)).text();
  expect(metrics).toContain('standpipe_fleet_info{fleet="default",node="one"} 1');
  expect(metrics).toContain('standpipe_fleet_connected 1');
  expect(metrics).toContain('standpipe_fleet_nodes 2');
  expect(metrics).toMatch(/standpipe_fleet_calls\{node="two",outcome="answered"\} \d+/);
});

let configs = 0;

test.concurrent.each<[string, string[], NodeJS.ProcessEnv, number, string | RegExp]>([
  ['a name that another node has', ['--node', 'two'], {}, 2, 'Another host runs as node "two" of the fleet "default"'],
  [
    'another lifetime than the fleet has',
    ['--node', 'two', '--lease', '9s'],
    {},
    2,
    '--lease has no effect: the first node of the fleet default set it to 10000 ms',
  ],
  [
    'a table on several servers of a NATS without a cluster',
    ['--node', 'three', '--fleet', 'replicated', '--nats-replicas', '3'],
    {},
    3,
    /it is a single server, not a cluster|does not compare revisions reliably/, // depends on the version of NATS
  ],
  ['credentials that NATS refuses', ['strict', '--node', 'three'], {}, 3, 'NATS refused the credentials'],
  ['an account without JetStream', ['plain', '--node', 'three'], {}, 3, 'JetStream is not enabled'],
  ['a node name that cannot be one', ['--node', 'a.b'], {}, 2, '--node cannot be "a.b"'],
  [
    'packages that are missing',
    ['--node', 'three'],
    {
      NODE_OPTIONS: `--import=${pathToFileURL(fileURLToPath(new URL('../fixtures/fleet/refuse-nats.mjs', import.meta.url)))}`,
    },
    2,
    'npm install @nats-io/transport-node @nats-io/kv @nats-io/jetstream',
  ],
])('reports %s', async (_what, args, env, code, says) => {
  const address = { strict: strict.url, plain: asUser('plain') }[args[0]!];
  const words = address === undefined ? args : args.slice(1);
  const none = writeConfig(`none-${++configs}.json`, {});
  const join = { STANDPIPE_JOIN: address ?? nats.url, ...env };
  const host = startCli(['up', '--no-inspector', '--config', none, ...words], { env: join });
  hosts.push(host);
  const ran = await finished(host);
  expect(ran.stdout + ran.stderr).toMatch(says);
  expect(ran.code).toBe(code);
});

test('a node that starts before its NATS serves its own servers and joins later, unless NATS refuses it', async () => {
  await strict.stop();
  const own = ['--config', writeConfig('early.json', { own: everythingEntry })];
  const early = start([...own, '--node', 'early', '--http', '0'], { STANDPIPE_JOIN: asUser('fleet') });
  const refused = start(['--node', 'refused'], { STANDPIPE_JOIN: strict.url });
  await Promise.all([early, refused].map(({ says }) => says('nothing listens there. This node has not joined')));
  expect(early.log()).not.toContain('secret');
  await early.says('own ready');
  expect(await run('call', 'own', 'greet', 'name=Ada', ...own)).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' });
  const { url, token } = gatewayIn(early.log())!;
  const { origin } = new URL(url);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const metrics = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await metrics.text()).toContain('standpipe_fleet_connected 0');
  expect((await run('ls', '--fleet', ...own)).stdout).toMatch(/^early\tno NATS\t/);
  const { stderr } = await run('tools', 'files', ...own);
  expect(stderr).toContain('The host has not joined its fleet yet: The connection to NATS failed');
  // Servers are not reported as unknown before the fleet is known, because the fleet may have them.
  const bare = start(['--node', 'bare', '--http', '0'], { STANDPIPE_JOIN: asUser('fleet') });
  await until('it serves', () => gatewayIn(bare.log()) !== undefined);
  expect(await answersOf(early, 'other')).toEqual({ readyz: 200, post: 503, retryAfter: '1' });
  const soon = { readyz: 503, post: 503, retryAfter: '1' };
  expect(await answersOf(bare, 'other')).toEqual(soon);
  await strict.start();
  await until('it is ready', async () => {
    const answers = await answersOf(bare, 'other');
    if (answers.readyz !== 200) expect(answers).toEqual(soon);
    return answers.readyz === 200;
  });
  expect(await answersOf(bare, 'other')).toEqual({ post: 404, retryAfter: null, readyz: 200 });
  await stop(bare.child);
  await early.says('Joined the fleet default as node early');
  expect(await document('ls', '--fleet', ...own)).toMatchObject({
    isConnected: true,
    nodes: [{ name: 'early', offers: ['own'], isAlive: true }],
  });
  await until('the other has ended', () => refused.child.exitCode !== null);
  expect(refused.child.exitCode).toBe(3);
  await refused.says('NATS refused the credentials');
  await stop(early.child);
  expect(early.child.exitCode).toBe(0);
});

test('a node in the background is stopped by its name, and leaves no entry behind', async () => {
  const args = ['--background', '--no-inspector', '--node', 'three'];
  const env = { STANDPIPE_JOIN: nats.url };
  expect(await runCli(['up', ...args], { cwd: empty, env })).toMatchObject({ code: 0 });
  const { servers } = await document('ls', '--node', 'three');
  expect(servers.map(({ name }: { name: string }) => name)).toContain('own@one');
  expect(await run('down', '--node', 'three')).toMatchObject({ code: 0 });
  const { nodes } = await document('ls', '--fleet', '--config', config);
  expect(nodes.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
});

test('without NATS each command fails in time with a reason, and works again when NATS is reachable', async () => {
  await document('call', 'talks', 'fail', '--config', config); // opens a channel
  // Uses a new server: node one may still try to reach "lost", and that attempt may end at any time with another error.
  await apply({ files: remote, remote, talks, lost, unfit, untried: lost });
  const isUntried = ({ name }: { name: string }) => name === 'untried';
  await until('node one lists it', async () => (await document('ls', '--config', config)).servers.some(isUntried));
  await nats.stop();
  await one.says('The connection to NATS');
  const onNode = (...args: string[]) => run(...args, '--config', config);
  const waits = ['--timeout', '3s'];
  const [called, listed, tools, logs, restarted, shown, fleet] = await Promise.all([
    onNode('call', 'talks', 'fail', ...waits),
    onNode('tools', 'untried', ...waits),
    onNode('tools', ...waits),
    onNode('logs', 'talks'),
    onNode('restart', 'talks'),
    onNode('fleet', 'show'),
    onNode('ls', '--fleet'),
  ]);
  const away = 'this node is not connected to NATS\n';
  expect(called).toMatchObject({ code: 4, stdout: '' });
  expect(called.stderr).toContain(`within 3000 ms: ${away}`);
  expect(called.stderr).toContain('hint: ');
  expect(listed).toMatchObject({ code: 4 });
  expect(listed.stderr).toContain(`Server "untried" was not ready within 3000 ms: ${away}`);
  expect(tools.code).toBe(3);
  expect(tools.stdout).toContain('own\tgreet\t');
  expect(tools.stdout).toContain('talks\t'); // the known list: changes are announced when NATS is reachable again
  expect(tools.stderr).toContain('Server "untried" was not ready within 3000 ms: this node is not connected to NATS.');
  for (const { code, stderr } of [logs, restarted]) {
    expect(stderr).toContain('Node "two" cannot be reached: there is no connection to NATS\n');
    expect(code).toBe(3);
  }
  expect(shown).toMatchObject({ code: 3, stdout: '' });
  expect(shown.stderr).toContain('nothing listens there\nhint: Start NATS there');
  expect(fleet.stdout).toMatch(/^one\tno NATS\t.*\ntwo\tunknown\t/);
  expect(fleet.stdout).toContain('talks\t1 of 1\ttwo\t1\tunknown\n');
  expect(fleet.stderr).toContain('This node is not connected to NATS and shows its last known state.');
  expect(await run('call', 'talks', 'fail', '--join', nats.url)).toMatchObject({ code: 3, stdout: '' });
  await nats.start();
  // The nodes may have lost their leases meanwhile, depending on the machine.
  for (const server of ['own@one', 'files']) {
    const isCalled = async () => (await run('call', server, 'greet', 'name=A', '--node', 'two')).code === 0;
    await until(`${server} is called again`, isCalled);
  }
});

test('a node that exits releases its servers', async () => {
  const { ran } = await document('call', 'files', 'greet', 'name=Ada', '--node', 'two');
  await stop(two.child);
  expect(two.child.exitCode).toBe(0);
  expect(isAlive(ran.pid)).toBe(false);
  // The placer updates the reason when it has noticed that the node has left.
  const shown = async () => {
    const { nodes, servers }: FleetStatus = await document('ls', '--fleet', '--config', config);
    return { nodes: nodes.map(({ name }) => name), replicas: servers[0]!.replicas };
  };
  await expect
    .poll(shown, { timeout: 30_000 })
    .toMatchObject({ nodes: ['one'], replicas: [{ held: false, reason: 'no node has the label gpu' }] });
});
