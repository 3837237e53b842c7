// The era of a server: commands remember what an earlier command found out, and options can set it.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cacheFolder, folder, runCli, writeConfig } from './run-cli.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/mcp-client/${name}.mjs`, import.meta.url));

let logs = 0;
function server(name: string, ...args: string[]) {
  const log = join(folder, `log-${++logs}`);
  const entries = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return {
    words: [process.execPath, fixture(name), log, ...args],
    spawns: () => entries().filter((entry) => 'spawned' in entry).length,
    methods: () => entries().flatMap((entry) => entry.received?.method ?? []) as string[],
  };
}

const probes = (methods: string[]) => methods.filter((method) => method === 'server/discover').length;

test('only the first command probes a server that exits because of the probe', async () => {
  const dying = server('dies-of-the-probe');
  expect((await runCli(['tools', '--', ...dying.words])).code).toBe(0);
  expect([dying.spawns(), probes(dying.methods())]).toEqual([2, 1]);
  expect((await runCli(['tools', '--', ...dying.words])).code).toBe(0);
  expect([dying.spawns(), probes(dying.methods())]).toEqual([3, 1]);
  rmSync(cacheFolder, { recursive: true });
  expect((await runCli(['tools', '--', ...dying.words])).code).toBe(0);
  expect(probes(dying.methods())).toBe(2);
});

test('--era and --revision skip the probe', async () => {
  const silent = server('ignores-the-probe');
  expect((await runCli(['tools', '--era', 'legacy', '--', ...silent.words])).code).toBe(0);
  expect((await runCli(['tools', '--revision', '2025-06-18', '--', ...silent.words])).code).toBe(0);
  expect(probes(silent.methods())).toBe(0);
  const modern = server('modern');
  const refused = await runCli(['tools', '--era', 'legacy', '--', ...modern.words]);
  expect(refused.code).not.toBe(0);
  const wrong = await runCli(['tools', '--revision', '2025-06-19', '--', ...modern.words]);
  expect(wrong.stderr).toContain('2025-06-18');
});

test('"era" and "revision" of the config skip the probe', async () => {
  const silent = server('ignores-the-probe');
  const [command, ...args] = silent.words;
  const config = writeConfig('eras.json', {
    era: { command, args, era: 'legacy' },
    revision: { command, args, revision: '2025-03-26' },
  });
  for (const name of ['era', 'revision']) {
    expect((await runCli(['tools', name, '--config', config])).code).toBe(0);
  }
  expect(probes(silent.methods())).toBe(0);
});

test('reads a list of an earlier revision that ends with an empty cursor', async () => {
  const page = { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: '' };
  const older = server('sloppy', JSON.stringify({ 'tools/list': [{ page }] }));
  const { code, stdout } = await runCli(['tools', '--', ...older.words]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('a')]);
});
