// Real files, changed in the ways that users, editors and version control change them. Tests wait for reported changes.

import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoadOptions, loadConfig } from '../../src/config/files/load-config.ts';
import {
  type ConfigChange,
  type ConfigWatch,
  type WatchOptions,
  watchConfig,
} from '../../src/config/files/watch-config.ts';
import { renameOver } from '../../src/wire/process/files/rename-over.ts';
import { lacks } from '../fixtures/windows.ts';

const options = { settleMs: 20, graceMs: 150, pollMs: 200 };

let folder: string;
let load: LoadOptions;
let watch: ConfigWatch | undefined;
/** Changes that were reported and not yet read, and the callback of the waiting test. */
let told: ConfigChange[];
let wake: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'standpipe-watch-'));
  load = { cwd: folder, home: join(folder, 'home'), env: {} };
  watch = undefined;
  told = [];
  wake = () => undefined;
});
afterEach(() => {
  watch?.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: Record<string, object> | string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify({ mcpServers: content }));
}

async function start(more: WatchOptions = {}): Promise<void> {
  const config = await loadConfig(load);
  const onChange = (change: ConfigChange) => {
    told.push(change);
    wake();
  };
  watch = watchConfig(config, load, onChange, { ...options, ...more });
}

async function next(): Promise<ReturnType<typeof summary>> {
  while (told.length === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return summary(told.shift()!);
}

function summary({ config, diff }: ConfigChange) {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return {
    added: names(diff.added),
    removed: names(diff.removed),
    changed: diff.changed.map(({ after }) => after.name),
    unchanged: names(diff.unchanged),
    errors: config.problems.filter(({ severity }) => severity === 'error').length,
  };
}

const nothing = { added: [], removed: [], changed: [], unchanged: [], errors: 0 };

test('reports only changed entries as changed', async () => {
  write('mcp.json', { a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x' } });
  await start();
  write('mcp.json', { a: { command: 'x' }, b: { command: 'y' }, d: { command: 'x' } });
  expect(await next()).toEqual({ ...nothing, added: ['d'], removed: ['c'], changed: ['b'], unchanged: ['a'] });
  expect(watch!.config.servers.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
});

test('watches a file that is replaced by renaming several times', async () => {
  write('mcp.json', { a: { command: '0' } });
  await start();
  for (const command of ['1', '2', '3']) {
    write('mcp.json.tmp', { a: { command } });
    await renameOver(join(folder, 'mcp.json.tmp'), join(folder, 'mcp.json'));
    expect(await next()).toEqual({ ...nothing, changed: ['a'] });
    expect(watch!.config.servers[0]!.command).toBe(command);
  }
});

test('a file that is moved away and rewritten, as some editors do, is a change and not a removal', async () => {
  write('mcp.json', { a: { command: 'x' }, b: { command: 'x' } });
  await start({ graceMs: 10_000 });
  renameSync(join(folder, 'mcp.json'), join(folder, 'mcp.json~'));
  setTimeout(() => write('mcp.json', { a: { command: 'y' }, b: { command: 'x' } }), 2 * options.settleMs);
  expect(await next()).toEqual({ ...nothing, changed: ['a'], unchanged: ['b'] });
});

test('a partly written file keeps the last valid config and reports the problem, and the complete file is applied', async () => {
  const whole = JSON.stringify({ mcpServers: { a: { command: 'y' } } });
  write('mcp.json', { a: { command: 'x' } });
  await start();
  write('mcp.json', whole.slice(0, 20));
  expect(await next()).toEqual({ ...nothing, unchanged: ['a'], errors: 1 });
  expect(watch!.config.servers[0]!.command).toBe('x');
  write('mcp.json', whole);
  expect(await next()).toEqual({ ...nothing, changed: ['a'] });
});

test('an empty file counts as partly written', async () => {
  write('mcp.json', { a: { command: 'x' } });
  await start();
  write('mcp.json', '');
  expect(await next()).toEqual({ ...nothing, unchanged: ['a'], errors: 1 });
});

test('an invalid entry keeps its last valid settings while others change', async () => {
  write('mcp.json', { a: { command: 'x' }, b: { command: 'x' } });
  await start();
  write('mcp.json', { a: { comm: 'y' }, b: { command: 'y' } });
  expect(await next()).toEqual({ ...nothing, unchanged: ['a'], changed: ['b'], errors: 1 });
  write('mcp.json', { a: { command: 'z' }, b: { command: 'y' } });
  expect(await next()).toEqual({ ...nothing, changed: ['a'], unchanged: ['b'] });
});

test('deleting a file removes its servers, and restoring it adds them again', async () => {
  write('mcp.json', { a: { command: 'x' } });
  await start();
  rmSync(join(folder, 'mcp.json'));
  expect(await next()).toEqual({ ...nothing, removed: ['a'], errors: 1 });
  write('mcp.json', { a: { command: 'x' } });
  expect(await next()).toEqual({ ...nothing, added: ['a'] });
});

test('uses the next file in order after the first one is deleted', async () => {
  write('mcp.json', { a: { command: 'x' } });
  write('.vscode/mcp.json', '{"servers": {"b": {"command": "x"}}}');
  await start();
  rmSync(join(folder, 'mcp.json'));
  expect(await next()).toEqual({ ...nothing, added: ['b'], removed: ['a'] });
});

test('finds a file in a folder that is created later', async () => {
  write('home/.cursor/mcp.json', { a: { command: 'x' } });
  load.discover = true;
  await start();
  write('.cursor/mcp.json', { b: { command: 'x' } });
  expect(await next()).toEqual({ ...nothing, added: ['b'], unchanged: ['a'] });
});

test('watches a folder that is deleted and created again', async () => {
  write('.vscode/mcp.json', '{"servers": {"a": {"command": "x"}}}');
  await start();
  rmSync(join(folder, '.vscode'), { recursive: true });
  expect(await next()).toMatchObject({ removed: ['a'] });
  write('.vscode/mcp.json', '{"servers": {"a": {"command": "x"}}}');
  expect(await next()).toMatchObject({ added: ['a'] });
});

test.skipIf(lacks.links)('sees a change behind a symbolic link', async () => {
  write('dotfiles/mcp.json', { a: { command: 'x' } });
  symlinkSync(join(folder, 'dotfiles/mcp.json'), join(folder, 'mcp.json'));
  await start();
  write('dotfiles/mcp.json', { a: { command: 'y' } });
  expect(await next()).toEqual({ ...nothing, changed: ['a'] });
});

test('watches an envFile too, even one that a change added', async () => {
  write('one.env', 'A=1');
  write('two.env', 'A=1');
  write('mcp.json', { a: { command: 'x', envFile: 'one.env' }, b: { command: 'x' } });
  await start();
  write('one.env', 'A=2');
  expect(await next()).toEqual({ ...nothing, changed: ['a'], unchanged: ['b'] });
  write('mcp.json', { a: { command: 'x', envFile: 'one.env' }, b: { command: 'x', envFile: 'two.env' } });
  expect(await next()).toEqual({ ...nothing, changed: ['b'], unchanged: ['a'] });
  write('two.env', 'A=2');
  expect(await next()).toEqual({ ...nothing, changed: ['b'], unchanged: ['a'] });
  expect(watch!.config.servers).toMatchObject([{ env: { A: '2' } }, { env: { A: '2' } }]);
});

test('reports changes between loading and watching', async () => {
  write('mcp.json', { a: { command: 'x' } });
  const config = await loadConfig(load);
  write('mcp.json', { a: { command: 'y' } });
  const change = await new Promise<ConfigChange>((resolve) => {
    watch = watchConfig(config, load, resolve, options);
  });
  expect(summary(change)).toEqual({ ...nothing, changed: ['a'] });
});

test('does not report changes without an effect', async () => {
  write('mcp.json', { a: { command: 'x' } });
  await start();
  write('mcp.json', '// a comment\n{"mcpServers": {"a": {"command": "x"}}}');
  write('other.json', '{');
  // A change with an effect ends the wait.
  await new Promise((resolve) => setTimeout(resolve, options.pollMs));
  write('mcp.json', { a: { command: 'y' } });
  expect(await next()).toEqual({ ...nothing, changed: ['a'] });
  expect(told).toEqual([]);
});

test('reports a callback that throws, and continues', async () => {
  write('mcp.json', '{"mcpServers": {"a": {"command": "${input:x}"}}, "inputs": [{"id": "x"}]}');
  let fail = false;
  load.askInput = () => {
    if (fail) throw new Error('no terminal');
    return 'x';
  };
  let onError: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    onError = resolve;
  });
  await start({ onError });
  fail = true;
  write('mcp.json', '{"mcpServers": {"a": {"command": "${input:x}!"}}, "inputs": [{"id": "x"}]}');
  expect((await failed).message).toBe('no terminal');
  expect(watch!.config.servers[0]!.command).toBe('x');
});

test('reports nothing after close', async () => {
  write('mcp.json', { a: { command: 'x' } });
  await start();
  const closed = told;
  watch!.close();
  told = []; // for the second watch, whose report shows that the first one would have reported too
  await start();
  write('mcp.json', { a: { command: 'y' } });
  expect(await next()).toEqual({ ...nothing, changed: ['a'] });
  expect(closed).toEqual([]);
});

test('with --discover, watches files of other formats and a folder for new ones', async () => {
  load = { ...load, platform: 'linux', discover: true };
  write('home/.codex/config.toml', '[mcp_servers.a]\ncommand = "x"\n');
  await start();
  write('.continue/mcpServers/b.yaml', 'mcpServers:\n  - name: b\n    command: x\n');
  expect(await next()).toMatchObject({ added: ['b'] });
  write('.continue/mcpServers/c.json', '{"command": "x"}');
  expect(await next()).toMatchObject({ added: ['c'] });
  write('home/.codex/config.toml', '[mcp_servers.a]\ncommand = "y"\n');
  expect(await next()).toMatchObject({ changed: ['a'] });
  write('home/.codex/config.toml', '[mcp_servers.a\n');
  expect(await next()).toMatchObject({ removed: [], errors: 1 });
  rmSync(join(folder, '.continue/mcpServers/b.yaml'));
  expect(await next()).toMatchObject({ removed: ['b'] });
});
