// `standpipe connect`: any number of stdio clients share the servers of one host, which the first client starts.

import { once } from 'node:events';
import { readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConnectArguments } from '../../src/app/cli/connect/connect-arguments.ts';
import { controlPathOf } from '../../src/app/cli/servers/running-host.ts';
import { UsageError } from '../../src/base/errors.ts';
import { ensureRuntimeFolder, runtimeFolder } from '../../src/observe/live/runtime-folder.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { cleanEnv, fixturePath, folder, program, runCli, startCli, writeConfig } from './run-cli.ts';

const hosts: number[] = [];
const open: Client[] = [];
let configs = 0;

/** Creates a config with a server that records its calls. */
function newConfig(env: object = {}) {
  const name = `connect-${++configs}`;
  const notes = join(folder, `${name}.notes`);
  writeFileSync(notes, '');
  const entry = { command: process.execPath, args: [fixturePath('waits.mjs')], env: { NOTES: notes, ...env } };
  const file = writeConfig(`${name}.json`, { waits: entry });
  const lines = () => readFileSync(notes, 'utf8').split('\n');
  return { file, lines, pids: () => lines().flatMap((line) => /^pid (\d+)$/.exec(line)?.slice(1).map(Number) ?? []) };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  const ended = hosts.splice(0).filter(isAlive);
  for (const pid of ended) process.kill(pid, 'SIGTERM');
  await until('the hosts have ended', () => !ended.some(isAlive));
});

function startedHost(stderr: string): number | undefined {
  const [, pid] = /in the background \(process (\d+)\)/.exec(stderr) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

async function connectOfficial(words: readonly string[], { cwd = folder, env = {} } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'connect', ...words],
    env: { ...(cleanEnv as Record<string, string>), ...env },
    cwd,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr!.on('data', (chunk) => (stderr += chunk));
  const client = new Client({ name: 'official', version: '1' });
  open.push(client);
  await client.connect(transport);
  /** Pid of the host that this client started. */
  const hostPid = () => startedHost(stderr)!;
  if (startedHost(stderr)) hosts.push(hostPid());
  return { client, pid: transport.pid!, stderr: () => stderr, hostPid };
}

const hello = (client: Client) => client.callTool({ name: 'hello', arguments: {} });
const saysHello = expect.objectContaining({ content: [{ type: 'text', text: 'hello' }] });

test('20 official clients that start at once share one host and one process, from any folder and by any path', async () => {
  const { file, pids } = newConfig();
  const link = join(folder, 'link.json');
  symlinkSync(file, link);
  const ways = [
    [file, folder],
    [`./${basename(file)}`, folder],
    [link, '/'],
  ] as const;
  const clients = await Promise.all(
    Array.from({ length: 20 }, (_, at) => {
      const [path, cwd] = ways[at % ways.length]!;
      return connectOfficial(['waits', '--config', path], { cwd });
    }),
  );
  for (const answer of await Promise.all(clients.map(({ client }) => hello(client)))) expect(answer).toEqual(saysHello);
  expect(pids()).toHaveLength(1);
  const started = clients.filter(({ stderr }) => stderr().includes('started a host in the background'));
  expect(started).toHaveLength(1);
  const said = started[0]!.stderr();
  expect(said).toContain('Stop it with `standpipe down --config ');
  const [, log] = /Log: (\S+)\. /.exec(said)!;
  expect(statSync(log!).mode & 0o777).toBe(0o600);
  expect(readFileSync(log!, 'utf8')).toContain('waits ready');
  expect(await runCli(['down', '--config', file])).toMatchObject({ code: 0 });
  expect(pids().filter(isAlive)).toEqual([]);
  await until('the relays have ended', () => clients.every(({ pid }) => !isAlive(pid)));
  for (const { stderr } of clients) expect(stderr()).toContain('the host has ended');
});

test('a client that ends its input gets its answers, and the host exits when it is idle', async () => {
  const { file, pids } = newConfig();
  const input = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} } },
    { id: 2, method: 'tools/call', params: { name: 'waits_hello', arguments: {} } },
    { id: 3, method: 'tools/call', params: { name: 'hello', arguments: {} } },
  ].map((request) => JSON.stringify({ jsonrpc: '2.0', ...request }));
  const ran = await runCli(['connect', '--all', '--idle', '50ms', '--config', file], { input: input.join('\n') });
  expect(ran.code).toBe(0);
  const ids = ran.stdout.match(/"id":\d/g);
  expect(ids).toEqual(expect.arrayContaining(['"id":1', '"id":2', '"id":3']));
  expect(ran.stdout).toContain('"text":"hello"');
  const host = startedHost(ran.stderr)!;
  await until('the host and its server have ended', () => ![host, ...pids()].some(isAlive));
});

describe('a host that cannot be started', () => {
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, '{');

  test.each([
    ['no config of the folder', [], `There is no config in ${folder}`],
    ['no such config', ['--config', join(folder, 'none.json')], 'There is no config'],
    ['a config that is none', ['--config', broken], 'broken.json:1:2: Not JSON'],
  ])('reports the reason to the client: %s', async (_what, options, reason) => {
    await expect(connectOfficial(['waits', ...options])).rejects.toThrow(reason);
  });

  test('reports an unknown name as an error, on stderr, and as exit code', async () => {
    const reason = 'There is no server named "nothing"';
    const input = '{"jsonrpc":"2.0","id":"p","method":"ping"}\n';
    const ran = await runCli(['connect', 'nothing', '--config', newConfig().file], { input });
    hosts.push(startedHost(ran.stderr)!);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: 'p', error: { message: expect.stringContaining(reason) } });
  });

  test('answers requests with U+2028 in a string, or a carriage return between members, with the error', async () => {
    const requests = [
      '{"jsonrpc":"2.0","id":"\u2028","method":"ping"}',
      '{"jsonrpc":"2.0",\r"id":"return","method":"ping"}',
      '{"jsonrpc":"2.0","id":"without newline","method":"ping"}',
    ];
    const ran = await runCli(['connect', 'a', '--config', join(folder, 'none.json')], { input: requests.join('\n') });
    const answers = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject(['\u2028', 'return', 'without newline'].map((id) => ({ id, error: {} })));
  });

  test.each([[[]], [['a', 'b']], [['--all', 'a']], [['a', '--idle', 'soon']], [['a', '--bad']], [['a', '--config']]])(
    'refuses invalid options: %j',
    (words) => expect(() => parseConnectArguments(words)).toThrow(UsageError),
  );
});

test.runIf(process.platform === 'linux')(
  'a background host does not keep environment, folder and terminal of its starter',
  async () => {
    const { file } = newConfig({ WANTED: '${env:WANTED}' });
    const env = { WANTED: 'is needed', SECRET: 'of the window', STANDPIPE_MARKS: 'of another host' };
    const { client, hostPid } = await connectOfficial(['waits', '--config', file], { cwd: '/', env });
    await hello(client);
    const of = (name: string) => `/proc/${hostPid()}/${name}`;
    const environ = readFileSync(of('environ'), 'latin1');
    expect(environ).toContain('WANTED=is needed');
    expect(environ).not.toMatch(/of the window|of another host/);
    expect(readlinkSync(of('cwd'))).toBe(folder);
    expect(readlinkSync(of('fd/0'))).toBe('/dev/null');
    const [, , , , , session, terminal] = readFileSync(of('stat'), 'utf8').split(' ');
    expect([session, terminal]).toEqual([String(hostPid()), '0']);
  },
);

test.skipIf(process.platform === 'win32')('starts a new host while the old one exits', async () => {
  const { file } = newConfig();
  const before = process.env.XDG_RUNTIME_DIR;
  process.env.XDG_RUNTIME_DIR = folder;
  ensureRuntimeFolder(runtimeFolder());
  const path = controlPathOf({ config: file })!;
  if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = before;
  const ending = createServer((socket) => {
    ending.close();
    socket.destroy();
  }).listen(path);
  await once(ending, 'listening');
  const { client, stderr } = await connectOfficial(['waits', '--config', file]);
  expect(await hello(client)).toEqual(saysHello);
  expect(stderr()).toContain('started a host in the background');
});

test('killing a relay cancels its calls, and does not affect other clients and the host', async () => {
  const { file, lines } = newConfig();
  const [killed, other] = await Promise.all([0, 1].map(() => connectOfficial(['waits', '--config', file])));
  const waiting = killed!.client.callTool({ name: 'wait', arguments: {} });
  const failed = expect(waiting).rejects.toThrow();
  await until('the call runs', () => lines().includes('waits'));
  process.kill(killed!.pid, 'SIGKILL');
  await failed;
  await until('the server hears of it', () => lines().includes('cancelled'));
  expect(await hello(other!.client)).toEqual(saysHello);
});

describe('a host that is killed during calls', () => {
  test('in the background fails each call, leaves no process, and is started again by the next client', async () => {
    const { file, lines, pids } = newConfig();
    const first = await connectOfficial(['waits', '--config', file]);
    const second = await connectOfficial(['waits', '--config', file]);
    const failures = [first, second].map(({ client }) =>
      expect(client.callTool({ name: 'wait', arguments: {} })).rejects.toThrow(),
    );
    await until('both run', () => lines().filter((line) => line === 'waits').length === 2);
    process.kill(first.hostPid(), 'SIGKILL');
    await Promise.all(failures);
    await until('no server and no relay is left', () => ![...pids(), first.pid, second.pid].some(isAlive));
    const { client } = await connectOfficial(['waits', '--config', file]);
    expect(await hello(client)).toEqual(saysHello);
  });

  test('with --http leaves no process', async () => {
    const { file, pids } = newConfig();
    const up = startCli(['up', '--config', file, '--http', '0', '--no-inspector']);
    up.stdout.resume();
    await until('the server runs', () => pids().length === 1);
    up.kill('SIGKILL');
    await once(up, 'exit');
    await until('the server has ended', () => !pids().some(isAlive));
  });
});

test('up --background returns when the host runs, and refuses a second host', async () => {
  const { file, pids } = newConfig();
  const ran = await runCli(['up', '--background', '--no-inspector', '--json', '--config', file]);
  expect(ran.code).toBe(0);
  const { pid, stop } = JSON.parse(ran.stdout);
  expect(isAlive(pid)).toBe(true);
  expect(stop).toBe(`standpipe down --config ${file}`);
  await until('its server runs, which no client asked for', () => pids().length === 1);
  expect(await runCli(['up', '--background', '--config', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already running'),
  });
  expect((await runCli(['up', '--idle', '1m', '--http', '0', '--config', file])).stderr).toContain('--idle');
  process.kill(pid, 'SIGTERM');
  await until('the host and its server have ended', () => ![pid, ...pids()].some(isAlive));
});
