// `standpipe share install`: the windows of MCP hosts share one process of each server, and uninstall restores the exact bytes.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'jsonc-parser';
import { afterAll, expect, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { cleanEnv, fixturePath, folder, runCli } from './run-cli.ts';

const notes = join(folder, 'notes');
writeFileSync(notes, '');
const pids = () =>
  readFileSync(notes, 'utf8')
    .match(/(?<=^pid )\d+$/gm)
    ?.map(Number) ?? [];
const [command, script] = [process.execPath, fixturePath('waits.mjs')].map((word) => JSON.stringify(word));

const claudeDesktop = `{
  "mcpServers": {
    "waits": {
      "command": ${command},
      "args": [${script}],
      "env": { "NOTES": ${JSON.stringify(notes)} }
    },
    "remote": { "url": "https://example.org/mcp" }
  },
  "globalShortcut": ""
}
`;

const cursor = `{
  // for all projects
  "mcpServers": {
    "slow one": {"command": ${command}, "args": [
        ${script}, // the script
      ], "env": {"NOTES": ${JSON.stringify(notes)}, }},
    "bare": { "command": "some-server" },
  }
}`;

const vsCode = `\uFEFF{\r
\t"inputs": [{ "id": "notes", "type": "promptString", "password": true }],\r
\t"servers": {\r
\t\t"waits": {\r
\t\t\t"type": "stdio",\r
\t\t\t"command": ${command},\r
\t\t\t"args": [${script}],\r
\t\t\t"env": { "NOTES": "\${input:notes}" }\r
\t\t},\r
\t\t"of a file": { "type": "stdio", "command": "x", "envFile": "\${workspaceFolder}/.env" }\r
\t}\r
}\r
`;

const files = {
  claudeDesktop: ['Claude/claude_desktop_config.json', claudeDesktop],
  cursor: ['.cursor/mcp.json', cursor],
  vsCode: ['.vscode/mcp.json', vsCode],
} as const;

function write(host: keyof typeof files): string {
  const [name, text] = files[host];
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (file: string) => readFileSync(file, 'utf8');
afterAll(() => runCli(['down', '--shared']));

test.each(Object.keys(files) as (keyof typeof files)[])(
  'installs twice for %s, and restores the exact bytes',
  async (host) => {
    const file = write(host);
    const before = read(file);
    const first = await runCli(['share', 'install', file]);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(`Backup: ${file}.before-share`) });
    expect(first.stdout).toContain('\tshared\n');
    const installed = read(file);
    expect(installed).toContain('"connect", "--name", ');
    expect(installed).not.toBe(before);
    const second = await runCli(['share', 'install', file, '--json']);
    expect(JSON.parse(second.stdout).servers[0]).toMatchObject({ outcome: 'already' });
    expect(read(file)).toBe(installed);
    expect((await runCli(['share', 'uninstall', file])).stdout).toContain('no longer shared');
    expect(read(file)).toBe(before);
    expect(existsSync(`${file}.before-share`)).toBe(false);
  },
);

test('leaves entries that cannot be shared unchanged, with a reason', async () => {
  const file = write('vsCode');
  const { stdout } = await runCli(['share', 'install', file, 'of a file']);
  expect(stdout).toBe(
    'of a file\thas variables from an envFile, which only its host reads (set them in "env"): unchanged\n',
  );
  expect(read(file)).toBe(vsCode);
  expect((await runCli(['share', 'install', write('claudeDesktop'), 'remote'])).stdout).toContain(
    'is a remote server without a command',
  );
  expect(await runCli(['share', 'install', file, 'unknown'])).toMatchObject({ code: 2 });
  expect(await runCli(['share', 'install', join(folder, 'none.json')])).toMatchObject({ code: 2 });
});

test('uninstalls in any order if a server is shared and tapped', async () => {
  for (const order of [
    ['share', 'tap'],
    ['tap', 'share'],
  ]) {
    for (const removed of [order, [...order].reverse()]) {
      const file = write('cursor');
      for (const command of order) await runCli([command, 'install', file]);
      const { mcpServers } = parse(read(file));
      expect(mcpServers.bare.args.filter((word: string) => word === '--')).toHaveLength(2);
      const again = await runCli([order[0]!, 'install', file]);
      expect(again.stdout).toMatch(/^bare\talready (?:shared|tapped)$/m);
      const first = await runCli([removed[0]!, 'uninstall', file]);
      expect(first.stdout).toMatch(/^bare\t(?:no longer shared|untapped)$/m);
      await runCli([removed[1]!, 'uninstall', file]);
      expect(read(file)).toBe(cursor);
      expect([existsSync(`${file}.before-share`), existsSync(`${file}.before-tap`)]).toEqual([false, false]);
    }
  }
});

test.each(['share', 'tap'])(
  '%s install accepts the name of a host, and --dry-run only prints the change',
  async (name) => {
    const home = join(folder, `home of ${name}`);
    const file = join(home, '.cursor', 'mcp.json');
    mkdirSync(dirname(file), { recursive: true });
    const text = `{ "mcpServers": {\n  "waits": { "command": ${command}, "args": [${script}], "env": { "API_KEY": "sk-0123456789abcdef" } }\n} }\n`;
    writeFileSync(file, text);
    const run = (...words: string[]) => runCli([name, ...words], { env: { HOME: home }, cwd: home });
    const dry = await run('install', 'cursor', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was written') });
    expect(dry.stdout).toContain(`--- ${file}\n+++ ${file}\n`);
    expect(dry.stdout).toMatch(/^-.*"waits"/m);
    expect(dry.stdout).toMatch(/^\+.*"--name", "waits"/m);
    expect(dry.stdout).not.toContain('sk-0123456789abcdef');
    expect(read(file)).toBe(text);
    const json = JSON.parse((await run('install', 'cursor', '--dry-run', '--json')).stdout);
    expect(json).toMatchObject({ file, dryRun: true, diff: expect.stringContaining('+'), backup: null });
    expect((await run('install', 'cursor')).stderr).toContain(`Changed ${file}\n`);
    expect(read(file)).not.toBe(text);
    expect((await run('uninstall', 'cursor', '--dry-run')).stdout).toMatch(/^\+.*"waits"/m);
    await run('uninstall', 'cursor');
    expect(read(file)).toBe(text);
    expect(await run('install', 'kiro')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No config of Kiro was found'),
    });
    expect(await run('install', 'curser')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "cursor"?'),
    });
  },
);

test('warns of paths that belong to one project, and of further configs of the host', async () => {
  const home = join(folder, 'home with a project');
  const project = join(home, 'project');
  const binary = join(project, 'node_modules', '.bin', 'some-server');
  mkdirSync(dirname(binary), { recursive: true });
  for (const file of [binary, join(project, 'package.json'), join(project, 'server.mjs')]) writeFileSync(file, '{}');
  const ofUser = join(home, '.cursor', 'mcp.json');
  const ofProject = join(project, '.cursor', 'mcp.json');
  const servers = { installed: { command: binary }, relative: { command: 'node', args: ['./server.mjs'] } };
  for (const file of [ofUser, ofProject]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  }
  const install = (...words: string[]) =>
    runCli(['share', 'install', 'cursor', '--dry-run', ...words], { env: { HOME: home }, cwd: project });
  const user = await install('--scope', 'user');
  expect(user.stderr).toContain(`warning: installed: ${binary} belongs to one project`);
  expect(user.stderr).toContain('warning: relative: the host may start it in another folder');
  expect(user.stderr).toContain(`warning: Cursor also reads ${ofProject}.`);
  const { warnings } = JSON.parse((await install('--scope', 'project', '--json')).stdout);
  expect(warnings).toEqual([`Cursor also reads ${ofUser}. Its servers were not changed.`]);
});

/** Simulates a window of an MCP host: starts a server of a config in its own folder. */
async function openWindow(file: string, server: string, { env = {}, cwd = folder } = {}): Promise<Client> {
  const { mcpServers, servers } = parse(read(file).replace(/^\uFEFF/, ''));
  const entry = (mcpServers ?? servers)[server];
  const client = new Client({ name: file, version: '1' });
  const given = { ...(cleanEnv as Record<string, string>), ...entry.env, ...env };
  await client.connect(
    new StdioClientTransport({ command: entry.command, args: entry.args, env: given, cwd, stderr: 'ignore' }),
  );
  return client;
}

test('windows of three hosts share one process, unless variables or folder differ', async () => {
  const configs = (['claudeDesktop', 'cursor', 'vsCode'] as const).map(write);
  await Promise.all(configs.map((file) => runCli(['share', 'install', file])));
  const windows = [
    ...configs.flatMap((file, at) => [0, 1].map(() => [file, at === 1 ? 'slow one' : 'waits'] as const)),
  ];
  const clients = await Promise.all(
    windows.map(([file, server]) =>
      openWindow(file, server, { env: { NOTES: notes, PATH: `/${server}:${cleanEnv.PATH}` } }),
    ),
  );
  const callAll = () => Promise.all(clients.map((client) => client.callTool({ name: 'hello', arguments: {} })));
  for (const { content } of await callAll()) expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(pids()).toHaveLength(1);

  clients.push(await openWindow(configs[0]!, 'waits', { cwd: '/' }));
  clients.push(await openWindow(configs[0]!, 'waits', { env: { NOTES: `${folder}/./notes` } }));
  await callAll();
  expect(pids()).toHaveLength(3);
  const listed = JSON.parse((await runCli(['ls', '--shared', '--json'])).stdout);
  expect(listed.servers.map(({ name }: { name: string }) => name.replace('slow one', 'waits')).sort()).toHaveLength(3);
  const log = read(join(folder, 'standpipe', 'control-shared.log'));
  expect(log).not.toContain(notes);

  const clientInfo = { name: 'window', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
  const { stdout } = await runCli(['connect', '--name', 'gone', '--', 'no-such-command'], { input });
  expect(stdout).toContain('Cannot find the command');
  const advice =
    'Change its entry in the config of the program that starts it, or fix the server and run: standpipe restart gone --shared';
  await until('the log says what to do', () => read(join(folder, 'standpipe', 'control-shared.log')).includes(advice));

  const down = await runCli(['down', '--shared']);
  expect(down.code).toBe(0);
  await until('no process is left', () => !pids().some(isAlive));
  expect(await runCli(['ls', '--shared'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The shared host is not running'),
  });
  await Promise.all(clients.map((client) => client.close()));
});

test('a host with a shared entry does not stop the background host when it stops', async () => {
  const file = write('cursor');
  await runCli(['share', 'install', file]);
  const { command, args, env } = parse(read(file)).mcpServers['slow one'];
  const given = { ...(cleanEnv as Record<string, string>), ...env };
  const host = new Host({ mcpServers: { one: { command, args, env: given } } });
  expect(await host.start()).toMatchObject([{ state: 'ready' }]); // its relay starts the background host
  const window = await openWindow(file, 'slow one');
  await host.stop();
  const { content } = await window.callTool({ name: 'hello', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  await window.close();
  expect(await runCli(['down', '--shared'])).toMatchObject({ code: 0 });
});

test('warns about files once at install, and neither about our own command nor at uninstall', async () => {
  const file = join(folder, 'twice.json');
  const local = join(folder, 'project/node_modules/a/a.js');
  mkdirSync(dirname(local), { recursive: true });
  writeFileSync(local, '');
  writeFileSync(join(folder, 'project/package.json'), '{}');
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { a: { command: 'node', args: [local] }, b: { command: 'some-server' } } }),
  );
  expect((await runCli(['share', 'install', file])).stderr.match(/belongs to one project/g)).toHaveLength(1);
  const tapped = await runCli(['tap', 'install', file]);
  expect(tapped.stderr).not.toMatch(/^.*\b[ab]: .*main\.cjs.* belongs to one project/m);
  for (const wrapper of ['tap', 'share']) {
    expect((await runCli([wrapper, 'uninstall', file])).stderr).not.toMatch(/belongs to one project|another folder/);
  }
});
