// `standpipe fleet` and `standpipe drain` as processes, on a real NATS server with nodes that claim slots but run no servers.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFleet } from '../../src/host/fleet/place/fleet-state.ts';
import { type ClaimingNode, claimingNode } from '../fixtures/fleet/claiming-node.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';
import {
  everythingEntry,
  folder,
  type Ran,
  runCli,
  runOnTerminal,
  startCli,
  stopHost,
  writeConfig,
} from './run-cli.ts';

let nats: NatsServer;
const nodes: ClaimingNode[] = [];
const fleet = 'cli';
const env = () => ({ STANDPIPE_JOIN: nats.url, STANDPIPE_FLEET: fleet });

beforeAll(async () => {
  nats = await startNatsServer();
  const at = { servers: [nats.url], fleet, lifetimeMs: 30_000 };
  nodes.push(await claimingNode('one', at), await claimingNode('two', { ...at, labels: ['gpu'] }));
});
afterAll(() => Promise.all(nodes.map((node) => node.vanish())));

const run = (...args: string[]): Promise<Ran> => runCli(args, { env: env() });

function fileOf(name: string, servers: object): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ mcpServers: servers }, null, 2));
  return file;
}

async function placesAre(places: Record<string, string>): Promise<void> {
  await until(`the servers run at ${JSON.stringify(places)}`, async () => {
    const { claims } = await readFleet(nodes[0]!.network);
    const held = [...claims].flatMap(([key, slots]) =>
      [...slots].flatMap(([slot, { value }]) => (value.held ? [[`${key}.${slot}`, value.node]] : [])),
    );
    return JSON.stringify(Object.fromEntries(held.sort())) === JSON.stringify(places);
  });
}

const files = {
  command: 'npx',
  args: ['-y', 'files'],
  env: { TOKEN: '${TOKEN}' },
  place: { replicas: 2, spread: 'nodes' },
};
const gpu = { command: 'gpu', place: { labels: ['gpu'] } };

test('apply adds the servers of a file, and show prints them and their nodes', async () => {
  const file = fileOf('fleet.json', { files, gpu });
  const dry = await run('fleet', 'apply', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toContain('# files: added\n+{\n+  "files": {');
  expect(await run('fleet', 'apply', file)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '+ files: added\n+ gpu: added\n`standpipe ls --fleet` shows where they run.\n',
  });
  await placesAre({ 'files.1': 'one', 'files.2': 'two', 'gpu.1': 'two' });
  const shown = await run('fleet', 'show');
  expect(JSON.parse(shown.stdout).mcpServers).toMatchObject({ files, gpu });
  expect(shown.stderr).toContain('files 1: on node one, generation 1\nfiles 2: on node two, generation 1\n');
  expect((await run('fleet', 'diff', fileOf('again.json', JSON.parse(shown.stdout).mcpServers))).stderr).toBe(
    `The fleet ${fleet} already has these servers.\n`,
  );
  const { servers } = JSON.parse((await run('fleet', 'show', '--json')).stdout);
  expect(servers[0].replicas).toMatchObject([
    { slot: 1, node: 'one', isInForce: true },
    { slot: 2, node: 'two' },
  ]);
});

test('drain moves servers to other nodes, and reports a reason for servers that stay', async () => {
  const file = fileOf('alone.json', { files: { ...files, place: {} }, gpu });
  await run('fleet', 'apply', file);
  await placesAre({ 'files.1': 'one', 'gpu.1': 'two' });
  const first = await run('drain', 'one', '--json');
  expect(first.code).toBe(0);
  const servers = [{ server: 'files', slot: 1, node: 'two' }];
  expect(JSON.parse(first.stdout)).toEqual({ node: 'one', draining: true, servers, stays: [], nowhere: [], own: [] });
  await placesAre({ 'files.1': 'two', 'gpu.1': 'two' });
  expect(await run('drain', 'one', '--undo')).toMatchObject({
    code: 0,
    stderr: 'Node one can receive servers again.\n',
  });
  const second = await run('drain', 'two');
  expect(second.code).toBe(3);
  expect(second.stderr).toContain('files 1 runs on one\n');
  expect(second.stderr).toContain('gpu 1 stays: no node with the label gpu can run it: two is draining\n');
  await placesAre({ 'files.1': 'one', 'gpu.1': 'two' });
  await run('drain', 'two', '--undo');
});

test('apply removes servers that the file lacks only after confirmation', async () => {
  const file = fileOf('less.json', { gpu });
  await run('fleet', 'apply', fileOf('more.json', { files, gpu }));
  const refused = await run('fleet', 'apply', file);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('The file does not contain files. It would be removed from the fleet\n');
  expect(await run('fleet', 'apply', file, '--keep')).toMatchObject({ code: 0 });
  const asked = { wait: 'Remove it from the fleet? [y/N]', type: 'y\n' };
  const answered = await runOnTerminal(['fleet', 'apply', file], { steps: [asked], env: env() });
  expect(answered.stdout).toContain('- files: removed');
  await placesAre({ 'gpu.1': 'two' });
});

test('show prints the reasons of each node that refuses a server', async () => {
  for (const node of nodes) node.unfit.set('picky', 'Variable KEY is not set');
  await run(
    'fleet',
    'apply',
    fileOf('picky.json', { picky: { command: 'x' }, off: { command: 'x', disabled: true } }),
    '--keep',
  );
  const reason = 'no node can run it: one, two refused it: Variable KEY is not set';
  await until('both have refused', async () => (await run('fleet', 'show')).stderr.includes(reason));
  expect((await run('fleet', 'show')).stderr).toContain('off 1: runs nowhere: the server is disabled\n');
  expect((await run('fleet', 'apply', fileOf('gpu.json', { gpu }), '--yes')).stderr).toBe(
    '- off: removed\n- picky: removed\n',
  );
});

test('commands use the fleet of the running host', async () => {
  const config = writeConfig('node.json', {});
  const host = startCli([
    'up',
    '--no-inspector',
    '--config',
    config,
    '--node',
    'host',
    '--fleet',
    'running',
    '--join',
    nats.url,
    '--lease',
    '30s',
  ]);
  try {
    await once(host.stdout, 'data');
    const ofHost = (...args: string[]) => runCli([...args, '--config', config]);
    await until('the host has joined', async () => (await ofHost('fleet', 'show')).code === 0);
    const file = fileOf('real.json', { everything: everythingEntry });
    expect(await ofHost('fleet', 'apply', file)).toMatchObject({ code: 0 });
    const place = 'everything 1: on node host, generation 1';
    await until('it runs', async () => (await ofHost('fleet', 'show')).stderr.includes(place));
    const drained = await ofHost('drain', 'host');
    expect(drained.stderr).toContain('everything 1 stays: no node can run it: host is draining\n');
    expect(drained.code).toBe(3);
  } finally {
    await stopHost(host);
  }
});

test.each<[string, string[], string]>([
  ['a secret that is written out', ['fleet', 'apply', 'secret.json'], 'Write "API_KEY": "${API_KEY}"'],
  [
    'a file with a mistake',
    ['fleet', 'diff', 'mistake.json'],
    'mistake.json:1:55: server "a": "replicas" must be an integer',
  ],
  ['a file that is not there', ['fleet', 'diff', 'nothing.json'], 'nothing.json cannot be read'],
  ['an unknown node', ['drain', 'tow'], 'Did you mean "two"?'],
])('refuses %s', async (_, args, text) => {
  writeFileSync(
    join(folder, 'secret.json'),
    JSON.stringify({ mcpServers: { a: { command: 'x', env: { API_KEY: 'hush' } } } }),
  );
  writeFileSync(
    join(folder, 'mistake.json'),
    JSON.stringify({ mcpServers: { a: { command: 'x', place: { replicas: 'two' } } } }),
  );
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(text);
  expect(stderr).not.toContain('hush');
});

test('hides secrets that --allow-literals accepted', async () => {
  const file = fileOf('literal.json', { gpu, a: { command: 'x', env: { API_KEY: 'hush' } } });
  await run('fleet', 'apply', file, '--allow-literals');
  const shown = await run('fleet', 'show');
  const changed = await run('fleet', 'diff', fileOf('without.json', { gpu }));
  expect(readFileSync(file, 'utf8')).toContain('hush');
  expect(shown.stdout + shown.stderr + changed.stdout).not.toContain('hush');
  expect(shown.stderr).toContain('Literal secrets are hidden: a\n');
});
