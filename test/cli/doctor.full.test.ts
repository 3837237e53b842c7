// `standpipe doctor`: broken set-ups with the finding of each, a healthy one without findings, and reports without secrets.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ExaminedServer } from '../../src/app/cli/doctor/examine-servers.ts';
import type { Finding } from '../../src/app/cli/doctor/finding.ts';
import { everythingEntry, fixturePath, folder, pidsIn, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const isWindows = process.platform === 'win32';
const node = (code: string, more: object = {}) => ({ command: process.execPath, args: ['-e', code], ...more });

interface Report {
  code: number | null;
  findings: Finding[];
  servers: ExaminedServer[];
  live: { kind: string; pid: number }[];
  text: string;
}

/** Free space and orphans are those of the machine, so their findings are left out. */
async function doctor(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Report> {
  const { code, stdout, stderr } = await runCli(['doctor', ...words, '--json'], { env });
  expect(stderr).toBe('');
  const { findings, ...report } = JSON.parse(stdout) as Report;
  const ofSetup = findings.filter(({ topic }) => topic !== 'disk' && topic !== 'orphan');
  return { ...report, code, text: stdout, findings: ofSetup };
}

test('a healthy set-up has no findings, and the time and memory of its servers', async () => {
  const config = writeConfig('healthy.json', { everything: everythingEntry });
  const { code, findings, servers } = await doctor([config]);
  expect({ code, findings }).toEqual({ code: 0, findings: [] });
  expect(servers).toMatchObject([{ name: 'everything', state: 'ready', readyAfterMs: expect.any(Number) }]);
  if (process.platform === 'linux') expect(servers[0]!.residentBytes).toBeGreaterThan(10 * 1024 * 1024);
  const { stdout } = await runCli(['doctor', config]);
  expect(stdout).toMatch(/^(?:No problems found\.|0 problems, \d+ warnings?)$/m);
});

describe('a broken set-up has one problem with its fix', () => {
  /** `limit`: for servers that are given up only when their time is over. */
  test.each<[string, object, Partial<Finding> & { fix: unknown }, limit?: string]>([
    [
      'a missing command',
      { command: 'no-such-command-here' },
      {
        code: 'COMMAND_NOT_FOUND',
        message: expect.stringContaining('no-such-command-here'),
        fix: expect.stringContaining('Install it'),
      },
    ],
    [
      'a variable that is not set',
      node('', { env: { KEY: '${NOT_SET_ANYWHERE}' } }),
      {
        topic: 'config',
        code: 'VARIABLE_NOT_SET',
        message: 'Variable NOT_SET_ANYWHERE is not set',
        fix: expect.stringContaining('Set it'),
      },
    ],
    [
      'a server that prints to stdout',
      node("console.log('Listening.'); process.stdin.resume()"),
      {
        evidence: expect.arrayContaining(['stdout had: Listening.']),
        fix: expect.stringContaining('Write logs to stderr'),
      },
      '5s',
    ],
    [
      'a server that exits with an error on stderr',
      node("console.error('The database is locked'); process.exit(3)"),
      {
        evidence: expect.arrayContaining(['exit code: 3', 'stderr: The database is locked']),
        message: expect.stringContaining('exited with code 3'),
        fix: 'Its stderr output shows the reason.',
      },
    ],
    [
      'a server that lacks a package',
      { command: process.execPath, args: [fixturePath('../diagnosis/needs-a-package.mjs')] },
      { diagnosis: 'module-not-found', fix: expect.stringContaining('npm install') },
    ],
    [
      'a server that never answers',
      node('setInterval(() => {}, 1e6)'),
      {
        code: 'REQUEST_TIMEOUT',
        message: expect.stringContaining('no answer'),
        fix: expect.stringContaining('Raise startupTimeoutMs'),
      },
      '500ms',
    ],
  ])('%s', async (what, entry, expected, limit) => {
    const config = writeConfig(`${what.replaceAll(' ', '-')}.json`, { broken: entry });
    const { code, findings } = await doctor([config, ...(limit === undefined ? [] : ['--timeout', limit])]);
    expect(findings).toEqual([
      expect.objectContaining({
        level: 'problem',
        server: 'broken',
        place: expect.stringMatching(/^~[\\/].*\.json:\d+$/),
        ...expected,
      }),
    ]);
    expect(code).toBe(1);
  });

  test('a URL that refuses connections', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number };
    listener.close();
    await once(listener, 'close');
    const config = writeConfig('refuses.json', { remote: { url: `http://127.0.0.1:${port}/mcp` } });
    const { code, findings } = await doctor([config]);
    expect(findings).toMatchObject([
      { level: 'problem', server: 'remote', message: expect.stringContaining(`nothing listens at 127.0.0.1:${port}`) },
    ]);
    expect(findings[0]!.fix).toContain('correct host and port');
    expect(code).toBe(1);
  });

  test('a syntax error in the config', async () => {
    const config = join(folder, 'syntax.json');
    writeFileSync(config, '{\n  "mcpServers": {\n    "a": { "command": }\n  }\n}\n');
    const { code, findings } = await doctor(['--config', config]);
    expect(findings).toMatchObject([
      { level: 'problem', topic: 'config', code: 'CONFIG_INVALID', place: '~/syntax.json:3' },
    ]);
    expect(code).toBe(1);
  });

  test('a config that does not exist', async () => {
    const { code, findings } = await doctor(['absent.json']);
    expect(findings).toMatchObject([{ level: 'problem', topic: 'config', code: 'CONFIG_NOT_FOUND' }]);
    expect(code).toBe(1);
  });

  test.skipIf(isWindows)('a token file that other users can read', async () => {
    const settings = join(folder, 'readable');
    const file = join(settings, 'standpipe', 'tokens.json');
    mkdirSync(join(settings, 'standpipe'), { recursive: true });
    writeFileSync(file, '{"version":1,"tokens":[]}');
    chmodSync(file, 0o644);
    const config = writeConfig('tokens.json', {});
    const { code, findings } = await doctor([config], { XDG_CONFIG_HOME: settings });
    expect(findings.filter(({ topic }) => topic === 'tokens')).toMatchObject([
      {
        level: 'problem',
        code: 'FILE_NOT_PRIVATE',
        message: '~/readable/standpipe/tokens.json is accessible to other users (mode 0644)',
        fix: expect.stringContaining('chmod 600'),
      },
    ]);
    expect(code).toBe(1);
  });
});

test.skipIf(isWindows)('the socket of a killed host is a warning with the command that removes it', async () => {
  const runtime = join(folder, 'r');
  mkdirSync(join(runtime, 'standpipe'), { recursive: true, mode: 0o700 });
  const socket = join(runtime, 'standpipe', 'control-left.sock');
  const code = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.stdout.write('listening'))`;
  const killed: ChildProcess = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(killed.stdout!, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'close');
  const config = writeConfig('stale.json', { everything: everythingEntry });
  const report = await doctor([config], { XDG_RUNTIME_DIR: runtime });
  expect(report.findings).toMatchObject([
    {
      level: 'warning',
      topic: 'runtime',
      code: 'STALE_SOCKET',
      message: expect.stringContaining('~/r/standpipe/control-left.sock'),
    },
  ]);
  expect(report.findings[0]!.fix).toContain('rm ');
  expect(report.code).toBe(0);
});

test.runIf(process.platform === 'linux')(
  'a process that outlived its host is a warning, and one of a running host is not',
  async () => {
    const file = join(folder, 'daemon.pid');
    const daemon = `const { spawn } = require('child_process');
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' });
    require('fs').writeFileSync(${JSON.stringify(file)}, String(pid));
    import(${JSON.stringify(pathToFileURL(fixturePath('everything.mjs')).href)});`;
    const starting = writeConfig('daemon.json', { everything: node(daemon, { keepDaemons: true }) });
    const empty = writeConfig('empty.json', {});
    const orphans = async () => {
      const { stdout } = await runCli(['doctor', empty, '--json']);
      const { findings } = JSON.parse(stdout) as Report;
      return findings.find(({ topic }) => topic === 'orphan');
    };
    const host = await startHost(['--config', starting]);
    const [pid] = pidsIn(file) as [number];
    try {
      expect((await orphans())?.evidence?.join() ?? '').not.toContain(`pid ${pid}:`);
      await stopHost(host);
      const found = await orphans();
      expect(found).toMatchObject({
        level: 'warning',
        evidence: expect.arrayContaining([expect.stringContaining(`pid ${pid}: `)]),
      });
      expect(found!.fix).toMatch(new RegExp(`kill .*\\b${pid}\\b`));
    } finally {
      host.kill('SIGTERM');
      process.kill(pid, 'SIGKILL');
    }
  },
);

test('a disabled entry is listed and not started', async () => {
  const trace = join(folder, 'disabled-started');
  const code = `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`;
  const config = writeConfig('disabled.json', { off: node(code, { disabled: true }) });
  const report = await doctor([config]);
  expect(report).toMatchObject({ code: 0, findings: [], servers: [{ name: 'off', state: 'disabled' }] });
  expect(existsSync(trace)).toBe(false);
});

test('a server that a running host has ready is not started again', async () => {
  const config = writeConfig('running.json', { everything: everythingEntry });
  const host = await startHost(['--config', config]);
  try {
    const { servers, live, findings } = await doctor([config]);
    expect(servers).toMatchObject([{ name: 'everything', state: 'running' }]);
    expect(live).toMatchObject([{ kind: 'host', pid: host.pid }]);
    expect(findings).toEqual([]);
  } finally {
    await stopHost(host);
  }
});

test('a report has no value of env, no other secret and no path of the home folder', async () => {
  const key = `sk-${'a1b2c3d4'.repeat(4)}`;
  const leaks = `console.error(process.env.CODE, process.argv.join(' '), '${key}', __dirname, ${JSON.stringify(folder)}); process.exit(1)`;
  const config = writeConfig('secrets.json', {
    leaks: {
      command: process.execPath,
      args: ['-e', leaks, '--', '--token', 'hidden-argument'],
      env: { CODE: 'hidden-value' },
    },
    prints: node('console.log(process.env.CODE, process.env.DATA)', {
      env: { CODE: 'hidden-output', DATA: 'hidden-data' },
    }),
    remote: {
      url: 'http://user:hidden-password@127.0.0.1:9/mcp?api_key=hidden-query',
      headers: { 'X-Key': 'hidden-header' },
    },
  });
  const env = { HTTPS_PROXY: 'http://user:hidden-proxy@127.0.0.1:9', NO_PROXY: '127.0.0.1' };
  const { text, findings } = await doctor([config], env);
  const plain = await runCli(['doctor', config], { env });
  expect(findings.map(({ server }) => server)).toEqual(['leaks', 'prints', 'remote']);
  for (const printed of [text, plain.stdout, plain.stderr]) {
    expect(printed).not.toMatch(/hidden-/);
    expect(printed).not.toContain(key);
    expect(printed).not.toContain(folder);
  }
  expect(plain.stdout).toContain('[env CODE]');
});
