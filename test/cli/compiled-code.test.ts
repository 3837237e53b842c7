// The cache of compiled code, which Node.js has since 22.1.

import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnv, folder, program } from './run-cli.ts';

const isSupported = 'enableCompileCache' in nodeModule;
const isWindows = process.platform === 'win32';

function runWithCache(cache: string, ...args: string[]) {
  const env = { ...cleanEnv, XDG_CACHE_HOME: cache, LOCALAPPDATA: cache };
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' });
}

test('compiled code is cached in a private folder where Node.js supports it', () => {
  const cache = join(folder, 'compiled-code');
  expect(runWithCache(cache, 'completion', 'bash').status).toBe(0);
  const compiled = join(cache, 'standpipe', ...(isWindows ? ['cache'] : []), 'compiled');
  expect(existsSync(compiled)).toBe(isSupported);
  if (isSupported && !isWindows) expect(statSync(compiled).mode & 0o777).toBe(0o700);
});

test('a cache folder that cannot be created does not fail a command', () => {
  const file = join(folder, 'not-a-folder');
  writeFileSync(file, '');
  expect(runWithCache(file, 'completion', 'bash')).toMatchObject({ status: 0, stderr: '' });
});
