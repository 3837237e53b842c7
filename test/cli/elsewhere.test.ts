// Commands in a folder without a config: they use the only running host, or explain how to select one.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { shellWord } from '../../src/base/command-line.ts';
import { everythingEntry, folder, type Ran, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const cwd = join(folder, 'without config');
mkdirSync(cwd);
const here = (...args: string[]): Promise<Ran> => runCli(args, { cwd });

const hosts = new Set<ChildProcessWithoutNullStreams>();
afterEach(async () => {
  for (const host of hosts) await stopHost(host);
  hosts.clear();
});

async function up(...args: string[]): Promise<void> {
  hosts.add(await startHost(args));
}

test('read-only commands use the only host and name it on stderr; other commands need its name', async () => {
  const config = writeConfig('only.json', { everything: everythingEntry });
  await up('--config', config);
  const stderr = `There is no config here. Using the host that runs ${config}\n`;
  expect(await here('call', 'everything', 'greet', 'name=you')).toEqual({ code: 0, stdout: 'Hello, you!\n', stderr });
  const tools = await here('tools', '--json');
  expect(tools).toMatchObject({ code: 0, stderr });
  expect(JSON.parse(tools.stdout).tools[0]).toMatchObject({ server: 'everything' });
  const listed = await here('ls', '--json');
  expect(listed).toMatchObject({ code: 0, stderr });
  expect(JSON.parse(listed.stdout)).toMatchObject({ running: true, servers: [{ name: 'everything', state: 'ready' }] });
  for (const command of [['down'], ['stop', 'everything'], ['start', 'everything'], ['restart', 'everything']]) {
    expect(await here(...command)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: There is no config here. A host in another folder runs ${config}\nhint: To use that host, add --config ${config}\n`,
    });
  }
  expect(await here('restart', 'everything', '--config', config)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'everything is ready.\n',
  });
  expect((await here('__complete', 'tools', '')).stdout).toBe('everything\n');
});

test('a named config or one in the folder is used instead of a host elsewhere', async () => {
  await up('--config', writeConfig('other.json', { everything: everythingEntry }));
  expect(await here('ls', '--config', 'nowhere.json')).toMatchObject({ code: 2, stdout: '' });
  const project = join(folder, 'project');
  mkdirSync(project);
  writeConfig('project/mcp.json', { own: everythingEntry });
  const { stdout, stderr } = await runCli(['ls', '--json'], { cwd: project });
  expect(JSON.parse(stdout)).toMatchObject({ running: false, servers: [{ name: 'own' }] });
  expect(stderr).toBe('');
});

test('lists several hosts with the options that select each', async () => {
  const first = writeConfig('first.json', { everything: everythingEntry });
  const second = writeConfig('the second.json', { everything: everythingEntry });
  await up('--config', first);
  await up('--config', second);
  writeConfig('mcp.json', { everything: everythingEntry });
  await up('--discover');
  for (const command of [['ls'], ['tools'], ['call', 'everything', 'greet'], ['stop', 'everything']]) {
    const { code, stdout, stderr } = await here(...command);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'error: There is no config here, and 3 hosts are running elsewhere\n' +
        `hint: Choose one: --config ${first}, or --config ${shellWord(second)}, or --discover in the folder ${folder}\n`,
    );
  }
  expect(await here('call', 'everything', 'greet', 'name=you', '--config', second)).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test('with neither a config nor a host, the hint names the alternatives', async () => {
  for (const command of [['call', 'greet'], ['tools'], ['read', 'x'], ['prompt', 'x']]) {
    const { code, stderr } = await here(...command);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: There is no config in ${cwd}\nhint: Add a server with \`standpipe add\``);
    expect(stderr).toContain(
      `None of these files exists: mcp.json, .mcp.json, ${normalize('.cursor/mcp.json')}, ${normalize('.vscode/mcp.json')}, `,
    );
    expect(stderr).toContain('`-- <command …>`');
  }
  expect((await here('ls')).stderr).not.toContain('-- <command');
});
