// Common failures of servers and the required behaviour of a host, in numbers. Real processes, default settings.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { killed } from '../fixtures/windows.ts';
import { counting, folder, misbehaving, openHost, serverFile, stateOf, writeConfig } from './run-host.ts';

describe('crashes', () => {
  test('kill -9: the server becomes ready again, with its tools', async () => {
    const server = counting('comes-back');
    const host = await openHost({ server: server.entry });
    await host.start();
    process.kill(host.status()[0]!.pid!, 'SIGKILL');
    await until('it has crashed', () => stateOf(host, 'server') !== 'ready');
    await until('it is ready again', () => stateOf(host, 'server') === 'ready');
    expect((await host.listTools('server')).map(({ name }) => name)).toContain('echo');
    expect(host.status()[0]).toMatchObject({ restarts: 1, lastExit: { evidence: killed } });
  });

  test('a server that answers and then exits is started at most 5 times, then fails with the reason; a manual start works', async () => {
    const server = counting('loop', { env: { DIE_AFTER_MS: '400' } });
    const host = await openHost({ server: server.entry });
    await host.start();
    await until('it is given up', () => stateOf(host, 'server') === 'failed');
    expect(server.lives().length).toBeLessThanOrEqual(5);
    expect(host.status()[0]).toMatchObject({
      state: 'failed',
      lastExit: { evidence: { exitCode: 9, stderrTail: expect.stringContaining('the disk is full') } },
    });
    await expect(host.callTool('server', 'echo')).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      evidence: { exitCode: 9 },
    });
    const before = server.lives().length;
    await host.startServer('server');
    expect(server.lives().length).toBe(before + 1);
  });

  test('a server that never answers fails after as many starts; each start may need a second process to probe the era', async () => {
    const states: string[] = [];
    const host = await openHost(
      { server: misbehaving('crashes-at-once') },
      { onStateChange: ({ to }) => states.push(to) },
    );
    await host.start();
    expect(stateOf(host, 'server')).toBe('failed');
    expect(states.filter((state) => state === 'starting')).toHaveLength(5);
    const spawns = host.flow.since(0).filter(({ kind }) => kind === 'spawn');
    expect(spawns.length).toBeLessThanOrEqual(10);
  });
});

describe('a retry never runs a tool twice', () => {
  test('a server that exits during a call: the outcome is unknown before any timeout, and the call ran once', async () => {
    const server = counting('dies');
    const host = await openHost({ server: { ...server.entry, restart: { maxRestarts: 50 } } });
    await host.start();
    for (const calls of [1, 2, 3]) {
      const call = host.callTool('server', 'dies', {}, { timeoutMs: 1_000_000 });
      await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', evidence: killed });
      expect(server.count()).toBe(calls);
    }
  });

  test.each([
    ['dies_once_plain', 1, 'OUTCOME_UNKNOWN'],
    ['dies_once_read_only', 2, 'worked'],
    ['dies_once_idempotent', 2, 'worked'],
  ])('%s runs %i times and ends with %s', async (tool, runs, outcome) => {
    const server = counting(tool);
    const host = await openHost({ server: server.entry });
    await host.start();
    await host.listTools('server');
    const result = await host.callTool('server', tool).then(
      ({ content }) => (content[0] as { text: string }).text,
      (error) => error.code,
    );
    expect(result).toBe(outcome);
    expect(server.count()).toBe(runs);
  });

  test('repeats a call if the caller permits it', async () => {
    const server = counting('said');
    const host = await openHost({ server: server.entry });
    const { content } = await host.callTool('server', 'dies_once_plain', {}, { repeatable: true });
    expect(content).toEqual([{ type: 'text', text: 'worked' }]);
    expect(server.count()).toBe(2);
  });

  test('an unsent call waits for the restart and runs once', async () => {
    const server = counting('waits');
    const host = await openHost({ server: server.entry });
    await host.start();
    process.kill(host.status()[0]!.pid!, 'SIGKILL');
    await until('it has crashed', () => stateOf(host, 'server') !== 'ready');
    await host.callTool('server', 'count');
    expect(server.count()).toBe(1);
  });
});

test('eight of ten servers are ready although one hangs and one does not exist, and the hung one leaves no process', async () => {
  const hungPid = join(folder, 'hung.pid');
  const hang = `require('fs').writeFileSync(${JSON.stringify(hungPid)}, String(process.pid)); setInterval(() => {}, 1e6)`;
  const servers = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`good-${at}`, counting(`good-${at}`).entry] as const),
  );
  const ready = new Set<string>();
  const host = await openHost(
    {
      hung: { command: process.execPath, args: ['-e', hang], startupTimeoutMs: 1_000_000 },
      missing: { command: 'no-such-command' },
      ...servers,
    },
    { onStateChange: ({ server, to }) => to === 'ready' && ready.add(server) },
  );
  const all = host.start();
  await until('all eight are ready', () => ready.size === 8);
  expect(stateOf(host, 'missing')).toBe('failed');
  expect(stateOf(host, 'hung')).toBe('starting');
  await host.stop();
  await all;
  expect(isAlive(Number(readFileSync(hungPid, 'utf8')))).toBe(false);
});

test('a server that hangs at its start fails after startupTimeoutMs and leaves no process', async () => {
  const hung = counting('hangs', { startupTimeoutMs: 300, restart: { policy: 'never' } });
  const hang = "require('fs').writeFileSync(process.env.PID_FILE, String(process.pid)); setInterval(() => {}, 1e6)";
  const host = await openHost({ hung: { ...hung.entry, args: ['-e', hang] } });
  await host.start();
  expect(stateOf(host, 'hung')).toBe('failed');
  await until('nothing is left of it', () => hung.alive().length === 0);
});

describe('config', () => {
  test('a custom env keeps PATH, an unknown key warns, and a missing variable affects only its server', async () => {
    const file = writeConfig({
      path: { command: 'node', args: [serverFile('counts')], env: { SOMETHING: '1' }, colour: 'red' },
      missing: { command: 'node', args: ['${NO_SUCH_VARIABLE_HERE}'] },
      fallback: { command: 'node', args: [serverFile('counts'), '${NO_SUCH_VARIABLE_HERE:-x}'] },
    });
    const { problems } = await loadConfig({ file });
    expect(problems).toEqual([
      expect.objectContaining({ severity: 'warning', server: 'path', message: expect.stringContaining('colour') }),
      expect.objectContaining({ severity: 'error', server: 'missing', code: 'VARIABLE_NOT_SET' }),
    ]);
    const { Host } = await import('../../src/host/host.ts');
    const host = await Host.open(file);
    try {
      expect((await host.start()).map(({ name, state }) => [name, state])).toEqual([
        ['path', 'ready'],
        ['fallback', 'ready'],
      ]);
    } finally {
      await host.stop();
    }
  });

  test('a reload affects only changed servers, and leaves no process behind', async () => {
    const [stays, changes, goes] = [counting('r-stays'), counting('r-changes'), counting('r-goes')];
    const host = await openHost({ stays: stays.entry, changes: changes.entry, goes: goes.entry });
    await host.start();
    const before = host.status()[0]!.pid;
    const next = writeConfig({
      stays: stays.entry,
      changes: { ...changes.entry, requestTimeoutMs: 5000 },
      comes: counting('r-comes').entry,
    });
    const { added, removed, changed } = await host.reload(await loadConfig({ file: next }));
    expect([added, removed, changed].map((list) => list.length)).toEqual([1, 1, 1]);
    await until('all are ready', () => host.status().every(({ state }) => state === 'ready'));
    expect(host.status().map(({ name }) => name)).toEqual(['stays', 'changes', 'comes']);
    expect(host.status()[0]).toMatchObject({ pid: before });
    expect([stays.lives().length, changes.lives().length]).toEqual([1, 2]);
    expect(goes.alive()).toEqual([]);
    expect(changes.alive()).toHaveLength(1);
  });
});

test('twenty first calls of a lazy server start one process', async () => {
  const server = counting('lazy', { autoStart: false });
  const host = await openHost({ server: server.entry });
  await host.start();
  expect(stateOf(host, 'server')).toBe('stopped');
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => host.callTool('server', 'echo', { n })));
  expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(
    Array.from({ length: 20 }, (_, n) => `{"n":${n}}`),
  );
  expect(server.lives()).toHaveLength(1);
});
