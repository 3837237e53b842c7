// Tests which files are found, in which order, and how several files are combined.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { type LoadOptions, loadConfig, surveyConfig } from '../../src/config/files/load-config.ts';
import type { CommandConfig } from '../../src/config/server-config.ts';
import { lacks, settingsFolder } from '../fixtures/windows.ts';
import { fixture } from './fixtures.ts';

let folder: string;
let options: LoadOptions;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'standpipe-config-'));
  options = { cwd: join(folder, 'project'), home: join(folder, 'home'), env: {} };
  mkdirSync(options.cwd!);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, servers: Record<string, object> | string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof servers === 'string' ? servers : JSON.stringify({ mcpServers: servers }));
  return path;
}

const commands = ({ servers }: { servers: readonly { name: string; command?: string | undefined }[] }) =>
  Object.fromEntries(servers.map(({ name, command }) => [name, command]));

test('the first file in the documented order is the config', async () => {
  const order = ['mcp.json', '.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'];
  for (const name of order.toReversed()) {
    const file = write(`project/${name}`, { one: { command: name } });
    const config = await loadConfig(options);
    expect(commands(config)).toEqual({ one: name });
    expect(config.files.map((each) => each.file)).toEqual([file]);
    expect(config.servers[0]).toMatchObject({ cwd: options.cwd });
  }
});

test('reads no files of the user without --discover', async () => {
  write('home/.cursor/mcp.json', { one: { command: 'x' } });
  await expect(loadConfig(options)).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
});

test('--discover merges all files: the first definition of a name wins, the others are listed', async () => {
  const first = write('project/.mcp.json', { a: { command: 'first' } });
  const vscode = write('project/.vscode/mcp.json', { a: { command: 'no' }, b: { command: 'vscode' } });
  write(`home/${settingsFolder}/Claude/claude_desktop_config.json`, { b: { command: 'no' }, c: { command: 'claude' } });
  write('home/.cursor/mcp.json', { d: { command: 'cursor' } });
  write(`home/${settingsFolder}/Code/User/mcp.json`, { d: { command: 'no' }, e: { command: 'code', cwd: 'sub' } });
  const config = await loadConfig({ ...options, discover: true });
  expect(commands(config)).toEqual({ a: 'first', b: 'vscode', c: 'claude', d: 'cursor', e: 'code' });
  expect(config.files.map(({ origin, scope }) => `${origin} ${scope}`)).toEqual([
    'claude-code project',
    'vscode project',
    'claude-desktop user',
    'cursor user',
    'vscode user',
  ]);
  expect(config.shadowed.map(({ name, by }) => [name, by.file])).toEqual([
    ['a', first],
    ['b', vscode],
    ['d', join(folder, 'home/.cursor/mcp.json')],
  ]);
  expect(config.problems).toEqual([]);
  // Files of the user belong to no project: their servers use the current folder.
  expect(config.servers.map((server) => (server as CommandConfig).cwd)).toEqual([
    ...Array(4).fill(options.cwd),
    join(options.cwd!, 'sub'),
  ]);
});

test('with --discover, an invalid definition still hides later ones', async () => {
  write('project/mcp.json', { a: { command: 1 } });
  write('home/.cursor/mcp.json', { a: { command: 'other' } });
  const config = await loadConfig({ ...options, discover: true });
  expect(config.servers).toEqual([]);
  expect(config.rejected).toMatchObject([{ name: 'a' }]);
  expect(config.shadowed).toMatchObject([{ name: 'a' }]);
});

test('with --discover, a file that is not JSON does not affect the others', async () => {
  const broken = write('project/mcp.json', '{');
  write('home/.cursor/mcp.json', { a: { command: 'x' } });
  const config = await loadConfig({ ...options, discover: true });
  expect(commands(config)).toEqual({ a: 'x' });
  expect(config.problems).toMatchObject([{ severity: 'error', file: broken, line: 1, column: 2 }]);
});

test('does not read a file in the home folder twice', async () => {
  write('home/.cursor/mcp.json', { a: { command: 'x' } });
  const config = await loadConfig({ ...options, cwd: options.home, discover: true });
  expect(config.files).toHaveLength(1);
  expect(config.shadowed).toEqual([]);
});

test('reads only the named file', async () => {
  write('project/mcp.json', { a: { command: 'no' } });
  write('project/sub/other.json', { b: { command: 'yes', cwd: 'x', args: ['${workspaceFolder}'] } });
  const config = await loadConfig({ ...options, file: 'sub/other.json' });
  const sub = join(options.cwd!, 'sub');
  expect(config.servers).toMatchObject([{ name: 'b', cwd: join(sub, 'x'), args: [sub] }]);
});

test('without a config, the error lists the searched places and the next step', async () => {
  for (const discover of [false, true]) {
    const error = await loadConfig({ ...options, discover }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'CONFIG_NOT_FOUND', message: `There is no config in ${options.cwd}` });
    expect(error.hint).toContain('--config');
    expect(error.hint).toContain(
      discover ? '--discover --json` lists the files' : ` mcp.json, .mcp.json, ${join('.cursor', 'mcp.json')}`,
    );
  }
  const { searched } = await surveyConfig({ ...options, discover: true });
  expect(searched).toContain(join(folder, 'home/.codex/config.toml'));
});

test('reports a named file that does not exist', async () => {
  const missing = loadConfig({ ...options, file: 'none.json' });
  await expect(missing).rejects.toMatchObject({
    code: 'CONFIG_NOT_FOUND',
    message: expect.stringContaining('none.json'),
  });
  const survey = await surveyConfig({ ...options, file: 'none.json' });
  expect(survey).toMatchObject({ servers: [], files: [], problems: [{ code: 'CONFIG_NOT_FOUND' }] });
});

test.skipIf(process.getuid?.() === 0 || lacks.fileModes)('reports a file without read permission', async () => {
  const file = write('project/mcp.json', { a: { command: 'x' } });
  chmodSync(file, 0);
  await expect(loadConfig(options)).rejects.toMatchObject({ message: expect.stringContaining('EACCES') });
});

test('a folder in place of a config file is reported', async () => {
  mkdirSync(join(options.cwd!, 'mcp.json'));
  await expect(loadConfig(options)).rejects.toMatchObject({ message: expect.stringContaining('cannot be read') });
});

test.each([
  ['yaml.txt', 1, 1],
  ['comma.txt', 4, 5],
])('reports file, line and column if %s is not JSON', async (name, line, column) => {
  const file = fixture(`wrong/${name}`);
  const error = await loadConfig({ file }).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'UsageError', code: 'CONFIG_INVALID' });
  expect(error.message).toMatch(new RegExp(`${name}:${line}:${column}: Not JSON: `));
});

test('accepts byte order marks of UTF-8 and UTF-16', async () => {
  const text = '{"mcpServers": {"ünïcödé": {"command": "x"}}}';
  writeFileSync(join(folder, 'utf-8.json'), `\uFEFF${text}`);
  writeFileSync(join(folder, 'utf-16.json'), Buffer.from(`\uFEFF${text}`, 'utf16le'));
  for (const name of ['utf-8.json', 'utf-16.json']) {
    const { servers, problems } = await loadConfig({ file: join(folder, name) });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ name: 'ünïcödé', source: { line: 1, column: 17 } }]);
  }
});

test('passes an error of a callback to the caller', async () => {
  write('project/mcp.json', '{"mcpServers":{"a":{"command":"${input:x}"}},"inputs":[{"id":"x"}]}');
  const askInput = () => Promise.reject(new Error('no terminal'));
  await expect(loadConfig({ ...options, askInput })).rejects.toThrow('no terminal');
});
