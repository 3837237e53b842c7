// The cache of compiled code. Node.js has one since 22.1; earlier versions use compiled-code.ts.

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanEnv, folder, program } from './run-cli.ts';

const isOfNode = 'enableCompileCache' in nodeModule;
const isWindows = process.platform === 'win32';

function runWithCache(cache: string, ...args: string[]) {
  const env = { ...cleanEnv, XDG_CACHE_HOME: cache, LOCALAPPDATA: cache };
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' });
}

function compiledIn(cache: string): string {
  return join(cache, 'standpipe', ...(isWindows ? ['cache'] : []), 'compiled');
}

test('compiled code is cached in a private folder', () => {
  const cache = join(folder, 'compiled-code');
  expect(runWithCache(cache, 'completion', 'bash').status).toBe(0);
  expect(readdirSync(compiledIn(cache))).not.toEqual([]);
  if (!isWindows) expect(statSync(compiledIn(cache)).mode & 0o777).toBe(0o700);
});

test('a cache folder that cannot be created does not fail a command', () => {
  const file = join(folder, 'not-a-folder');
  writeFileSync(file, '');
  expect(runWithCache(file, 'completion', 'bash')).toMatchObject({ status: 0, stderr: '' });
});

describe.skipIf(isOfNode)('the cache for versions of Node.js that have none', () => {
  /** The files by name. A file that was replaced is another one. */
  function filesOf(cache: string) {
    const kept = compiledIn(cache);
    return Object.fromEntries(readdirSync(kept).map((name) => [name, statSync(join(kept, name)).ino]));
  }

  test('is written at the end of the first run, and used by later ones', () => {
    const cache = join(folder, 'kept');
    const first = runWithCache(cache, 'completion', 'bash');
    const files = filesOf(cache);
    expect(Object.keys(files).filter((name) => name.endsWith('-run-command.cjs'))).toHaveLength(1);
    expect(runWithCache(cache, 'completion', 'bash')).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' });
    expect(filesOf(cache)).toEqual(files);
  });

  test('is replaced where it is damaged or belongs to another source', () => {
    const cache = join(folder, 'damaged');
    const first = runWithCache(cache, 'completion', 'bash');
    const names = Object.keys(filesOf(cache));
    const [one, other, ...more] = names.map((name) => join(compiledIn(cache), name));
    cpSync(one!, other!);
    for (const file of more) truncateSync(file, statSync(file).size - 8);
    const bytes = readFileSync(one!);
    writeFileSync(one!, bytes.fill(0, bytes.length - 8));
    const files = filesOf(cache);
    expect(runWithCache(cache, 'completion', 'bash')).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' });
    expect(Object.keys(filesOf(cache))).toEqual(names);
    for (const name of names) expect(filesOf(cache)[name]).not.toBe(files[name]);
  });

  test('does not keep commands from loading packages', () => {
    const cache = join(folder, 'packages');
    const config = join(folder, 'read-by-a-package.yaml');
    writeFileSync(config, 'mcpServers:\n  tiny:\n    command: node\n');
    for (const run of [1, 2].map(() => runWithCache(cache, 'config', '--config', config))) {
      expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('tiny') });
    }
  });

  test('is turned off by NODE_DISABLE_COMPILE_CACHE', () => {
    const cache = join(folder, 'turned-off');
    const env = { ...cleanEnv, NODE_DISABLE_COMPILE_CACHE: '1', XDG_CACHE_HOME: cache, LOCALAPPDATA: cache };
    expect(spawnSync(process.execPath, [program, 'completion', 'bash'], { cwd: folder, env }).status).toBe(0);
    expect(filesOf(cache)).toEqual({});
  });
});
