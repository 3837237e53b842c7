import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { configOf, type GivenServer } from '../../../config/given-config.ts';
import { examineDisks, examineNode, examinePath, examineProxies, findRunners, LEAST_NODE } from './examine-system.ts';
import { withoutHome } from './finding.ts';

const folder = temporaryFolder('doctor');
const isWindows = process.platform === 'win32';

const serversOf = (mcpServers: Record<string, GivenServer>) => configOf({ mcpServers }).servers;

describe('Node.js', () => {
  test('the oldest version is that of package.json', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${LEAST_NODE}`);
  });

  test.each(['18.20.4', '20.18.3'])('%s is a problem', (version) => {
    expect(examineNode(version)).toMatchObject([{ level: 'problem', message: expect.stringContaining(version) }]);
  });

  test.each(['20.19.0', '22.1.0', '100.0.0'])('%s is not a problem', (version) => {
    expect(examineNode(version)).toEqual([]);
  });
});

test.skipIf(isWindows)('reports a command that only the PATH of the shell has, unless the entry sets PATH', () => {
  const command = 'standpipe-test-command';
  writeFileSync(join(folder, command), '#!/bin/sh\n');
  chmodSync(join(folder, command), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${folder}:${before}`;
  try {
    const servers = serversOf({ one: { command }, two: { command, env: { PATH: folder } }, three: { command: 'sh' } });
    expect(examinePath(servers, '/usr/bin:/bin')).toMatchObject([
      { level: 'warning', server: 'one', fix: expect.stringContaining(join(folder, command)) },
    ]);
    expect(examinePath(servers, folder).map(({ server }) => server)).not.toContain('one');
  } finally {
    process.env.PATH = before;
  }
});

test('names the package runners of enabled entries only', () => {
  const servers = serversOf({
    one: { command: 'npx', args: ['a'] },
    two: { command: 'npx', args: ['b'] },
    off: { command: 'uvx', disabled: true },
    remote: { url: 'http://127.0.0.1:1/mcp' },
  });
  expect(findRunners(servers).map(({ name }) => name)).toEqual(['npx']);
});

describe('proxy variables', () => {
  const servers = serversOf({
    bare: { command: 'npx', args: ['a'] },
    given: { command: 'npx', args: ['a'], env: { HTTPS_PROXY: 'http://proxy:1' } },
    other: { command: 'node', args: ['server.mjs'] },
  });

  test('are shown without credentials, with the entries that do not get them', () => {
    const { proxies, findings } = examineProxies(servers, { HTTPS_PROXY: 'http://ann:secret@proxy:3128/' });
    expect(proxies).toEqual({ HTTPS_PROXY: 'http://proxy:3128' });
    expect(findings).toMatchObject([{ level: 'warning', server: 'bare', fix: expect.stringContaining('HTTPS_PROXY') }]);
  });

  test('that are not addresses are reported without their value', () => {
    const { proxies, findings } = examineProxies([], { HTTP_PROXY: 'http://ann:secret@:x' });
    expect(findings).toMatchObject([{ level: 'warning', topic: 'proxy', message: 'HTTP_PROXY is not an address' }]);
    expect(JSON.stringify([proxies, findings])).not.toContain('secret');
  });

  test('that are not set have no findings', () => {
    expect(examineProxies(servers, {})).toEqual({ proxies: {}, findings: [] });
  });
});

describe('free disk space', () => {
  test('below the limit is a problem, also for a folder that does not exist yet', async () => {
    const missing = join(folder, 'a', 'b');
    const { disks, findings } = await examineDisks([missing], Number.MAX_SAFE_INTEGER);
    expect(disks).toMatchObject([{ folder: missing, freeBytes: expect.any(Number) }]);
    expect(findings).toMatchObject([{ level: 'problem', topic: 'disk', message: expect.stringContaining(missing) }]);
  });

  test('above the limit has no finding', async () => {
    expect((await examineDisks([folder], 0)).findings).toEqual([]);
  });
});

test.each([
  ['/home/ann/x:3', '~/x:3'],
  ['in /home/ann', 'in ~'],
  ['file:///home/ann/x', 'file://~/x'],
  ['/home/anna and /home/ann-2', '/home/anna and /home/ann-2'],
])('the home folder in %s is shown as %s', (text, shown) => {
  expect(withoutHome(text, '/home/ann')).toBe(shown);
});
