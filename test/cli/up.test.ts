// `standpipe up`, and commands in other terminals that use its servers.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { ownPrincipal } from '../../src/host/control/control-server.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import {
  calculatorEntry,
  everythingEntry,
  folder,
  pidsIn,
  runCli,
  runOnTerminal,
  startCli,
  writeConfig,
} from './run-cli.ts';

interface Up {
  child: ChildProcessWithoutNullStreams;
  log: () => string;
  ended: Promise<unknown[]>;
}

const running = new Set<ChildProcessWithoutNullStreams>();
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
});

async function up(config: string, ...args: string[]): Promise<Up> {
  const child = startCli(['up', '--config', config, ...(args.length > 0 ? args : ['--no-inspector'])]);
  running.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const ended = once(child, 'close').finally(() => running.delete(child));
  return { child, log: () => text, ended };
}

const has = (up: Up, text: string | RegExp) =>
  until(`${text} in: ${up.log()}`, () => (typeof text === 'string' ? up.log().includes(text) : text.test(up.log())));

describe('in a pipe', () => {
  test('shows the processes of a server with one per principal, and logs only their failures', async () => {
    const config = writeConfig('shared.json', { everything: { ...everythingEntry, share: 'principal' } });
    const host = await up(config);
    await has(host, 'everything ready');
    expect((await runCli(['call', 'everything', 'greet', 'name=you', '--config', config])).stdout).toBe(
      'Hello, you!\n',
    );
    const { stdout, stderr } = await runCli(['ls', '--config', config]);
    expect(stderr).toContain('everything has a process for each principal.\n');
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    expect(rows.map(([name, state, , calls]) => [name, state, calls])).toEqual([
      ['everything', 'ready', '1'],
      ['everything: host', 'ready', '0'],
      [`everything: ${ownPrincipal()}`, 'ready', '1'],
      ['', undefined, undefined],
    ]);
    host.child.kill('SIGTERM');
    await host.ended;
    expect(host.log().match(/everything ready/g)).toHaveLength(1);
    expect(host.log()).not.toContain(`(${ownPrincipal()})`);
  });

  test.skipIf(lacks.runtimeFolder)('logs events, serves other terminals, and exits cleanly', async () => {
    const pidFile = join(folder, 'up.pids');
    const config = writeConfig('up.json', {
      everything: { ...everythingEntry, env: { PID_FILE: pidFile } },
      lazy: { ...calculatorEntry, autoStart: false },
      broken: { command: 'no-such-command' },
    });
    const host = await up(config);
    await has(host, 'everything ready');
    await has(host, 'broken failed');
    expect(host.log()).toMatch(/broken failed: Cannot find the command "no-such-command"/);
    expect(host.log()).toMatch(/standpipe restart broken --config \S+\.json/);

    const files = readdirSync(join(folder, 'standpipe')).filter((name) => name.startsWith('control-'));
    expect(files.map((name) => name.replace(/^.*?\./, '')).sort()).toEqual(['sock', 'sock.key']);
    for (const file of files) expect(statSync(join(folder, 'standpipe', file)).mode & 0o777).toBe(0o600);

    const called = await runCli(['call', 'everything', 'greet', 'name=you', '--config', config]);
    expect(called).toEqual({ code: 0, stdout: 'Hello, you!\n', stderr: '' });
    expect((await runCli(['call', 'lazy', '2', '5', '--config', config])).stdout).toBe('7\n');
    expect((await runCli(['call', 'everything', 'fails', '--config', config])).code).toBe(1);
    expect((await runCli(['call', 'everything', 'nope', '--config', config])).code).toBe(2);
    expect((await runCli(['call', 'broken', 'x', '--config', config])).code).toBe(3);
    expect((await runCli(['call', 'everything', 'works', '--timeout', '500', '--config', config])).code).toBe(4);
    expect(pidsIn(pidFile)).toHaveLength(1);
    const offered = await runCli(['tools', '--json', '--config', config]);
    expect(offered.code).toBe(3);
    expect(JSON.parse(offered.stdout).failed).toEqual([
      { server: 'broken', error: expect.objectContaining({ code: 'SERVER_FAILED', hint: expect.any(String) }) },
    ]);

    const listed = JSON.parse((await runCli(['ls', '--json', '--config', config])).stdout);
    expect(listed).toMatchObject({
      running: true,
      servers: [
        { name: 'everything', state: 'ready', pid: pidsIn(pidFile)[0], calls: 3, revision: '2026-07-28' },
        { name: 'lazy', state: 'ready', calls: 1, protocol: 'litemcp' },
        { name: 'broken', state: 'failed', lastExit: { code: 'COMMAND_NOT_FOUND' } },
      ],
    });

    const restarted = await runCli(['restart', 'everything', '--json', '--config', config]);
    expect(JSON.parse(restarted.stdout)).toMatchObject({ server: { name: 'everything', state: 'ready' } });
    expect(pidsIn(pidFile)).toHaveLength(2);
    expect((await runCli(['stop', 'everything', '--config', config])).stderr).toBe('everything is stopped.\n');
    expect((await runCli(['start', 'everything', '--config', config])).stderr).toBe('everything is ready.\n');
    expect((await runCli(['restart', 'evrything', '--config', config])).stderr).toContain('Did you mean "everything"?');

    const second = await runCli(['up', '--config', config]);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain('A host for this config or node is already running');

    host.child.kill('SIGTERM');
    expect(await host.ended).toEqual([0, null]);
    expect(host.log()).toMatch(/all servers have stopped\n$/);
    expect(pidsIn(pidFile).filter(isAlive)).toEqual([]);
    expect(readdirSync(join(folder, 'standpipe')).filter((name) => name.startsWith('control-'))).toEqual([]);
  });

  test('a change of the config affects only the changed servers', async () => {
    const pids = { stays: join(folder, 'stays.pids'), changes: join(folder, 'changes.pids') };
    const entry = (file: string, more = {}) => ({ ...everythingEntry, env: { PID_FILE: file, ...more } });
    const config = writeConfig('reload.json', { stays: entry(pids.stays), changes: entry(pids.changes) });
    const host = await up(config);
    await has(host, 'changes ready');
    await has(host, 'stays ready');
    const slow = runCli(['call', 'stays', 'works', 'ms=3000', '--config', config]);
    writeConfig('reload.json', {
      stays: entry(pids.stays),
      changes: entry(pids.changes, { X: '1' }),
      added: calculatorEntry,
    });
    await has(host, 'added ready');
    await has(host, /changes stopped[\s\S]*changes ready/);
    writeFileSync(config, '{ "mcpServers": ');
    await has(host, 'error: ');
    expect(await slow).toMatchObject({ code: 0, stdout: 'done\n' });
    expect([pidsIn(pids.stays).length, pidsIn(pids.changes).length]).toEqual([1, 2]);
    writeConfig('reload.json', { stays: entry(pids.stays) });
    await has(host, 'added removed');
    await until('those that went are gone', () => !pidsIn(pids.changes).some(isAlive));
    expect(pidsIn(pids.stays).filter(isAlive)).toHaveLength(1);
  });

  test.skipIf(lacks.signals)('after an edit and Ctrl-C, all servers have stopped when up reports it', async () => {
    const pidFile = join(folder, 'edited.pids');
    const go = join(folder, 'edited.go');
    const entry = (change: string) => ({
      command: process.execPath,
      args: [fileURLToPath(new URL('../host/servers/slow.mjs', import.meta.url))],
      env: { PID_FILE: pidFile, OVERLAP_FILE: join(folder, 'edited.overlaps'), LINGER_UNTIL: go, CHANGE: change },
      stop: { stdinMs: 1_000_000 }, // longer than the limit of a test
    });
    const config = writeConfig('edited.json', { slow: entry('0') });
    const host = await up(config);
    await has(host, 'slow ready');
    writeConfig('edited.json', { slow: entry('1') });
    await has(host, 'slow stopping');
    host.child.kill('SIGINT');
    await has(host, 'stopping all servers');
    writeFileSync(go, '');
    await has(host, 'all servers have stopped');
    expect(pidsIn(pidFile).filter(isAlive)).toEqual([]);
    expect(await host.ended).toEqual([0, null]);
    expect(pidsIn(pidFile)).toHaveLength(1);
  });

  test.skipIf(lacks.signals)('SIGTERM during the start of a server leaves no process', async () => {
    const pidFile = join(folder, 'half-started.pids');
    const config = writeConfig('half-started.json', {
      slow: {
        command: process.execPath,
        args: [fileURLToPath(new URL('../host/servers/slow.mjs', import.meta.url))],
        env: { PID_FILE: pidFile, OVERLAP_FILE: join(folder, 'half-started.overlaps'), START_MS: '100000' },
      },
    });
    const host = await up(config);
    await until('it starts', () => pidsIn(pidFile).length === 1);
    host.child.kill('SIGTERM');
    expect(await host.ended).toEqual([0, null]);
    expect(pidsIn(pidFile).filter(isAlive)).toEqual([]);
  });

  test('reports problems of the config when they are new, and not at every change', async () => {
    const name = 'warnings.json';
    const config = writeConfig(name, { everything: { ...everythingEntry, oldSlip: 1 } });
    const host = await up(config);
    await has(host, 'everything ready');
    expect(host.log()).toContain(`standpipe runs 1 server of ${config}\n`);
    const count = (text: string) => host.log().split(text).length - 1;
    expect(count('Unknown key "oldSlip"')).toBe(1);
    writeConfig(name, { first: calculatorEntry, everything: { ...everythingEntry, oldSlip: 1 } });
    await has(host, 'first added');
    writeConfig(name, { first: { ...calculatorEntry, newSlip: 1 }, everything: { ...everythingEntry, oldSlip: 1 } });
    await has(host, 'Unknown key "newSlip"');
    expect(count('Unknown key "oldSlip"')).toBe(1);
    writeConfig(name, { everything: everythingEntry });
    await has(host, 'first removed');
    writeConfig(name, { everything: { ...everythingEntry, oldSlip: 1 } });
    await until('it is wrong again', () => count('Unknown key "oldSlip"') === 2);
    expect(count('Unknown key "newSlip"')).toBe(1);
  });

  test('replaces the socket of a killed host, whose servers have ended', async () => {
    const pidFile = join(folder, 'killed.pids');
    const config = writeConfig('killed.json', { everything: { ...everythingEntry, env: { PID_FILE: pidFile } } });
    const first = await up(config);
    await has(first, 'everything ready');
    first.child.kill('SIGKILL');
    await first.ended;
    const asked = await runCli(['ls', '--json', '--config', config]);
    expect(JSON.parse(asked.stdout)).toMatchObject({ running: false });
    const next = await up(config);
    await has(next, 'everything ready');
    expect((await runCli(['call', 'everything', 'greet', 'name=x', '--config', config])).code).toBe(0);
    await until('the first server is gone', () => pidsIn(pidFile).filter(isAlive).length === 1);
  });

  test.skipIf(lacks.signals)('--json prints one document per line', async () => {
    const config = writeConfig('json.json', { everything: everythingEntry });
    const host = await up(config, '--json', '--no-inspector', '--http', '0');
    await has(host, '"ready"');
    host.child.kill('SIGINT');
    expect(await host.ended).toEqual([0, null]);
    const events = host
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const http = expect.stringMatching(/^http:.*\/mcp$/);
    expect(events[0]).toEqual({ event: 'began', at: expect.any(String), config, servers: ['everything'], http });
    expect(events.at(-1)).toMatchObject({ event: 'ended' });
    expect(events).toContainEqual({
      event: 'state',
      at: expect.any(String),
      server: 'everything',
      from: 'starting',
      to: 'ready',
      reason: 'connected',
    });
  });

  test('the Inspector accepts requests with its token', async () => {
    const config = writeConfig('inspector.json', { everything: everythingEntry });
    const host = await up(config, '--port', '0');
    await has(host, /inspector http:\S+token=\S+/);
    const url = new URL(/inspector (http:\S+)/.exec(host.log())![1]!);
    expect(url.hostname).toBe('127.0.0.1');
    const ask = (headers = {}) => fetch(new URL('/api/overview', url), { headers });
    expect((await ask()).status).toBeGreaterThanOrEqual(400);
    expect((await ask({ 'x-standpipe-token': url.searchParams.get('token')! })).status).toBe(200);
    const live = readdirSync(join(folder, 'standpipe')).filter((name) => name.endsWith('.json'));
    expect(live).toHaveLength(1);
  });

  test('a missing or invalid config is an error', async () => {
    expect((await runCli(['up', '--config', 'nowhere.json'])).code).toBe(2);
    writeFileSync(join(folder, 'bad.json'), '{');
    const bad = await runCli(['up', '--config', 'bad.json']);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('bad.json:1:') });
  });
});

describe('on a terminal', () => {
  test.skipIf(lacks.posixPrograms)('shows one fixed line per server, and a remedy for a failed one', async () => {
    const config = writeConfig('screen.json', {
      everything: everythingEntry,
      broken: { command: 'no-such-command' },
    });
    const { code, stdout } = await runOnTerminal(['up', '--no-inspector', '--config', config], {
      columns: 70,
      // Every frame contains the text: each step waits for another frame.
      steps: [
        { wait: 'ready' },
        { wait: 'ready' },
        { wait: 'ready', columns: 50 },
        { wait: 'ready', type: '\x03' },
        { wait: 'Stopping' },
      ],
    });
    expect(code).toBe(0);
    const text = stripVTControlCharacters(stdout).replaceAll('\r', '');
    expect(text).toMatch(/SERVER +STATE +UPTIME +CALLS\n/);
    expect(text).toMatch(/everything +ready +\d+s +0\n/);
    expect(text).toContain('broken failed: Cannot find the command');
    expect(text).toMatch(/All servers have stopped\.\n$/);
    // Frames overwrite each other: each moves the cursor up by the lines of the previous one.
    const frames = stdout.split('\x1b[J').length;
    expect(frames).toBeGreaterThan(3);
    expect(text.split('\n').every((line) => line.length <= 70)).toBe(true);
  });
});
