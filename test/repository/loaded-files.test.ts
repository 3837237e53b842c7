// The number of files that a start of the program loads: each costs more time than its contents. scripts/bundle.mjs
// bundles fast starts, and one additional import can undo that unnoticed.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanEnv, everythingEntry, folder, program, startHost, stopHost, writeConfig } from '../cli/run-cli.ts';

const list = join(folder, 'loaded.json');
const preload = join(folder, 'list-loaded.cjs');
writeFileSync(
  preload,
  `process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
);

/** This file contains the routes of the Inspector, and the package that matches them. */
const isOfInspector = (file: string) =>
  readFileSync(join(dirname(program), file), 'utf8').includes('TrieRouter = class');

/** The files of the package that a run loaded, and its output. */
function loadedBy(args: readonly string[]): { files: string[]; others: string[]; stdout: string } {
  const { stdout } = spawnSync(process.execPath, ['-r', preload, program, ...args], {
    cwd: folder,
    env: cleanEnv,
    encoding: 'utf8',
  });
  const loaded = (JSON.parse(readFileSync(list, 'utf8')) as string[]).filter((file) => file !== preload);
  const isOurs = (file: string) => dirname(file) === dirname(program);
  return {
    files: loaded.filter(isOurs).map((file) => basename(file)),
    others: loaded.filter((file) => !isOurs(file)),
    stdout,
  };
}

const config = writeConfig('loaded-files.json', { everything: everythingEntry });
let host: Awaited<ReturnType<typeof startHost>>;
beforeAll(async () => {
  host = await startHost(['--config', config]);
});
afterAll(() => stopHost(host));

test('--version loads three files', () => {
  const { files, others, stdout } = loadedBy(['--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(others).toEqual([]);
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(3);
});

test('call on a running host loads at most five files, and no package', () => {
  const { files, others, stdout } = loadedBy(['call', 'everything', 'greet', 'name=x', '--config', config]);
  expect(stdout).toContain('x');
  expect(others).toEqual([]);
  expect(files.filter(isOfInspector)).toEqual([]);
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(5);
});

test('a tap without viewers loads at most five files, and no package', () => {
  const { files, others, stdout } = loadedBy(['tap', '--no-announce', '--', process.execPath, '-p', '1 + 1']);
  expect(stdout).toBe('2\n');
  expect(others).toEqual([]);
  expect(files.filter(isOfInspector)).toEqual([]);
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(5);
});

test('connect to a running host loads at most five files, and no package', () => {
  const { files, others } = loadedBy(['connect', 'everything', '--config', config]);
  expect(others).toEqual([]);
  expect(files.filter(isOfInspector)).toEqual([]);
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(5);
});

test('only commands that start the Inspector load it', () => {
  const recording = join(folder, 'empty.ndjson');
  writeFileSync(recording, '');
  expect(loadedBy(['inspect', recording]).files.filter(isOfInspector)).toHaveLength(1);
});
