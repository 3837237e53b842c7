import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { defaultCommandSettings, defaultSettings } from '../server-config.ts';
import { packageOf } from './package-of.ts';

const home = temporaryFolder('packages');
const project = join(home, 'project');
const context = { env: {}, home, platform: 'linux' as const };
const npx = join(home, '.npm', '_npx');
const uv = join(home, '.cache', 'uv', 'archive-v0');

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const inLock = (name: string, version: string) => ({
  packages: { [`node_modules/${name}`]: { version, integrity: `sha512-${version}` } },
});

beforeAll(() => {
  write(join(npx, 'a1', 'package.json'), { _npx: { packages: ['@acme/files'] } });
  write(join(npx, 'a1', 'package-lock.json'), inLock('@acme/files', '1.2.3'));
  write(join(npx, 'b2', 'package.json'), { _npx: { packages: ['@acme/files@2'] } });
  write(join(npx, 'b2', 'package-lock.json'), inLock('@acme/files', '2.0.1'));
  write(join(npx, 'c3', 'package.json'), '{"_npx":');
  write(join(project, 'node_modules', 'own', 'package.json'), { version: '3.0.0' });
  write(join(project, 'package-lock.json'), inLock('own', '3.0.0'));
  write(join(uv, 'x1', 'acme_weather-0.4.0.dist-info', 'RECORD'), 'acme/weather.py,sha256=abc,3\n');
  write(join(uv, 'x2', 'many-1.0.dist-info', 'RECORD'), 'a');
  write(join(uv, 'x3', 'many-2.0.dist-info', 'RECORD'), 'b');
});

const run = (command: string, ...args: string[]) =>
  packageOf(
    {
      ...defaultSettings,
      ...defaultCommandSettings,
      name: 'a',
      source: { file: '', line: 1, column: 1 },
      command,
      args,
      cwd: project,
      url: undefined,
    },
    context,
  );

test.each([
  [['npx', '-y', '@acme/files', '.'], { version: '1.2.3', integrity: 'sha512-1.2.3' }],
  [['/usr/bin/npx', '--yes', '@acme/files@2', '.'], { version: '2.0.1', integrity: 'sha512-2.0.1' }],
  [['cmd', '/c', 'npx', '-y', '@acme/files'], { version: '1.2.3' }],
  [['npx', '-p', '@acme/files', 'files-server'], { version: '1.2.3' }],
  [['npx', '--package=@acme/files', 'files-server'], { version: '1.2.3' }],
])('finds what npx runs: %s', async ([command, ...args], expected) => {
  expect(await run(command!, ...args)).toMatchObject({ registry: 'npm', name: '@acme/files', ...expected });
});

test('finds the package of the project before the cache', async () => {
  expect(await run('npx', 'own')).toEqual({
    registry: 'npm',
    name: 'own',
    version: '3.0.0',
    integrity: 'sha512-3.0.0',
  });
});

test('says what is not known', async () => {
  const unknown = 'the package is not in the cache of npx on this machine';
  expect(await run('npx', '-y', 'other')).toEqual({ registry: 'npm', name: 'other', unknown });
  expect(await run('npx', '-y', 'other@1.0.0')).toEqual({ registry: 'npm', name: 'other', version: '1.0.0', unknown });
  expect(await run('uvx', 'many')).toEqual({
    registry: 'pypi',
    name: 'many',
    unknown: 'the version: the cache of uv has 1.0, 2.0',
  });
  expect(await run('uvx', 'other')).toMatchObject({ unknown: 'the package is not in the cache of uv on this machine' });
});

test.each([
  [['uvx', 'acme-weather']],
  [['uvx', '--from', 'acme.weather[all]==0.4.0', 'weather']],
  [['uvx', '--python', '3.12', 'Acme_Weather@0.4.0']],
  [['uv', 'tool', 'run', 'acme-weather']],
])('finds what uv runs: %s', async ([command, ...args]) => {
  expect(await run(command!, ...args)).toMatchObject({
    registry: 'pypi',
    version: '0.4.0',
    integrity: expect.stringMatching(/^sha256-.{44}$/),
  });
});

test.each([
  [['node', 'server.mjs']],
  [['npx', './folder']],
  [['npx', 'github:acme/files']],
  [['uvx', 'git+https://example.org/x']],
  [['npx']],
])('knows no package of %s', async ([command, ...args]) => {
  expect(await run(command!, ...args)).toBeUndefined();
});
