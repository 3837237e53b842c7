// Overlapping commands: the last one wins, a server never has two processes, and none remains when `stop` has resolved.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import type { Host } from '../../src/host/host.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf, writeConfig } from './run-host.ts';

let names = 0;
/** An entry for servers/slow.mjs, and the processes and overlaps that it recorded. */
function slow(env: Record<string, string> = {}) {
  const name = `slow-${++names}`;
  const lines = (what: string) =>
    readFileSync(join(folder, `${name}.${what}`), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter(Boolean);
  const files = { PID_FILE: join(folder, `${name}.pids`), OVERLAP_FILE: join(folder, `${name}.overlaps`) };
  return {
    entry: (more: object = {}) => ({
      command: process.execPath,
      args: [serverFile('slow')],
      env: { ...files, LINGER_MS: '200', ...env },
      ...more,
    }),
    lives: () => lines('pids').map(Number),
    alive: () => lines('pids').map(Number).filter(isAlive),
    overlaps: () => lines('overlaps'),
  };
}

const config = (servers: Record<string, object>) => loadConfig({ file: writeConfig(servers) });
const pidOf = (host: Host, name: string) => host.status().find((status) => status.name === name)?.pid ?? null;
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => error.code,
  );

describe('overlapping stop and restart', () => {
  test.each(['stopping', 'starting'])('a stop while a restart is %s wins', async (phase) => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    await host.start();
    const restarted = code(host.restartServer('a'));
    await until(`it is ${phase}`, () => stateOf(host, 'a') === phase);
    await host.stopServer('a');
    expect(server.alive()).toEqual([]);
    expect(host.status()).toMatchObject([{ state: 'stopped', pid: null, reason: 'stop requested' }]);
    expect(await restarted).toBe('SERVER_STOPPED');
    expect(server.alive()).toEqual([]);
    expect(stateOf(host, 'a')).toBe('stopped');
  });

  test('a start after a stop wins: the stop resolves when the old process has exited, and a new process runs', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    await host.start();
    const [old] = server.lives();
    const stopped = host.stopServer('a').then(() => isAlive(old!));
    await host.startServer('a');
    expect(await stopped).toBe(false);
    expect(host.status()).toMatchObject([{ state: 'ready', pid: server.lives().at(-1) }]);
    expect(server.alive()).toHaveLength(1);
    expect(server.overlaps()).toEqual([]);
  });

  test('two restarts at once resolve with one new process, and calls wait for it', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    await host.start();
    const restarts = [host.restartServer('a'), host.restartServer('a')];
    expect(await host.callTool('a', 'hello')).toMatchObject({ content: [{ text: 'hello' }] });
    await Promise.all(restarts);
    expect(server.lives()).toHaveLength(2);
    expect(server.overlaps()).toEqual([]);
  });

  test('calls that wait for a starting server keep waiting when it is restarted', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    const call = host.callTool('a', 'hello');
    await until('it starts', () => server.lives().length === 1);
    await host.restartServer('a');
    expect(await call).toMatchObject({ content: [{ text: 'hello' }] });
    expect(server.alive()).toHaveLength(1);
  });

  test('a start rejects after a later stop, and its process is reported until it has exited', async () => {
    const server = slow({ START_MS: '100000' });
    const host = await openHost({ a: server.entry() });
    const started = code(host.startServer('a'));
    await until('it runs', () => server.alive().length === 1);
    expect(host.status()).toMatchObject([{ state: 'starting', pid: server.alive()[0] }]);
    const stopped = host.stopServer('a');
    expect(host.status()).toMatchObject([{ state: 'stopping', pid: server.alive()[0] }]);
    await stopped;
    expect(await started).toBe('SERVER_STOPPED');
    expect(server.alive()).toEqual([]);
    expect(host.status()).toMatchObject([{ state: 'stopped', pid: null }]);
  });

  test('a stop of the host wins over pending starts and restarts, and refuses new ones until it has ended', async () => {
    const [a, b] = [slow(), slow()];
    const host = await openHost({ a: a.entry(), b: b.entry({ autoStart: false }) });
    await host.start();
    const under = [code(host.restartServer('a')), code(host.startServer('b'))];
    const stopped = host.stop();
    expect(await code(host.startServer('a'))).toBe('SERVER_STOPPED');
    expect(await code(host.restartServer('b'))).toBe('SERVER_STOPPED');
    await stopped;
    expect(await Promise.all(under)).toEqual(['SERVER_STOPPED', 'SERVER_STOPPED']);
    expect([a.alive(), b.alive()]).toEqual([[], []]);
    // Afterwards, a single server and the whole host can be started again.
    await host.startServer('a');
    await host.start();
    expect(await host.callTool('b', 'hello')).toMatchObject({ content: [{ text: 'hello' }] });
  });
});

describe('reload', () => {
  test('removes an entry whose server restarts, and leaves no process', async () => {
    const [a, b] = [slow(), slow()];
    const host = await openHost({ a: a.entry(), b: b.entry() });
    await host.start();
    const without = await config({ b: b.entry() });
    const restarted = code(host.restartServer('a'));
    const reloaded = host.reload(without);
    expect(host.names).toEqual(['b']);
    expect(host.status().map(({ name }) => name)).toContain('a');
    expect(pidOf(host, 'a')).toBe(a.lives()[0]);
    expect(await code(host.callTool('a', 'hello'))).toBe('NAME_UNKNOWN');
    await reloaded;
    expect(await restarted).toBe('SERVER_STOPPED');
    expect(host.status().map(({ name }) => name)).toEqual(['b']);
    expect(a.alive()).toEqual([]);
    await host.stop();
    expect([...a.alive(), ...b.alive()]).toEqual([]);
  });

  test('changes an entry whose server restarts, with one process at a time', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    await host.start();
    const changed = await config({ a: server.entry({ args: [serverFile('slow'), 'changed'] }) });
    const restarted = code(host.restartServer('a'));
    await until('the new process starts', () => stateOf(host, 'a') === 'starting');
    await host.reload(changed);
    expect(await restarted).toBe('done');
    await until('it is ready', () => stateOf(host, 'a') === 'ready');
    expect(server.alive()).toEqual([pidOf(host, 'a')]);
    expect(server.overlaps()).toEqual([]);
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${pidOf(host, 'a')}/cmdline`, 'utf8')).toContain('changed');
    }
  });

  test('applies the last of 30 concurrent configs with one process for each server, and none after stop', async () => {
    const servers = [slow(), slow(), slow()];
    const entries = (change: number) =>
      Object.fromEntries(servers.map((server, at) => [`s${at}`, server.entry({ requestTimeoutMs: 1000 + change })]));
    const host = await openHost(entries(0));
    await host.start();
    const configs = await Promise.all(Array.from({ length: 30 }, (_, change) => config(entries(change + 1))));
    await Promise.all(configs.map((each) => host.reload(each)));
    await until('all are ready', () => host.status().every(({ state }) => state === 'ready'));
    expect(servers.map((server) => server.alive().length)).toEqual([1, 1, 1]);
    expect(servers.flatMap((server) => server.alive())).toEqual(host.status().map(({ pid }) => pid));
    expect(host.config).toBe(configs.at(-1));
    await host.stop();
    expect(servers.flatMap((server) => [...server.alive(), ...server.overlaps()])).toEqual([]);
  });

  test('starts nothing after the host was stopped', async () => {
    const [a, b, c] = [slow(), slow(), slow()];
    const host = await openHost({ a: a.entry(), b: b.entry() });
    await host.start();
    const changed = await config({ a: a.entry({ requestTimeoutMs: 5000 }), c: c.entry() });
    const reloaded = host.reload(changed);
    await host.stop();
    await reloaded;
    const afterwards = await config({ a: a.entry({ requestTimeoutMs: 6000 }), b: b.entry() });
    await host.reload(afterwards); // applies the config without starting servers
    expect(host.status().map(({ name, state, pid }) => [name, state, pid])).toEqual([
      ['a', 'stopped', null],
      ['b', 'stopped', null],
    ]);
    expect([...a.alive(), ...b.alive(), ...c.alive()]).toEqual([]);
    expect(await code(host.callTool('a', 'hello'))).toBe('SERVER_STOPPED');
    await host.start();
    expect(host.status()).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  });

  test('runs one process for an entry that is removed and added again while its process ends', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry() });
    await host.start();
    const [without, withIt] = [await config({}), await config({ a: server.entry() })];
    await Promise.all([host.reload(without), host.reload(withIt), host.reload(without), host.reload(withIt)]);
    await until('it is ready', () => stateOf(host, 'a') === 'ready');
    expect(server.alive()).toEqual([pidOf(host, 'a')]);
    expect(server.overlaps()).toEqual([]);
  });

  test('enables, disables, and starts a failed server again', async () => {
    const server = slow();
    const host = await openHost({ a: server.entry({ enabled: false }), f: { command: 'no-such-command' } });
    await host.start();
    expect(host.status()).toMatchObject([{ state: 'disabled' }, { state: 'failed' }]);
    expect(await code(host.startServer('a'))).toBe('SERVER_DISABLED');
    await host.reload(await config({ a: server.entry(), f: slow().entry() }));
    await until('both are ready', () => host.status().every(({ state }) => state === 'ready'));
    await host.reload(await config({ a: server.entry({ enabled: false }), f: { command: 'no-such-command' } }));
    expect(host.status()[0]).toMatchObject({ state: 'disabled', pid: null });
    expect(server.alive()).toEqual([]);
    expect(await code(host.callTool('a', 'hello'))).toBe('SERVER_DISABLED');
    await until('it has failed', () => stateOf(host, 'f') === 'failed');
  });

  test('runs a call that waits for a lazy server with the new entry', async () => {
    const server = slow({ START_MS: '100000' });
    const host = await openHost({ a: server.entry({ autoStart: false }) });
    const call = host.callTool('a', 'hello');
    await until('it starts', () => server.lives().length === 1);
    const quick = { ...server.entry().env, START_MS: '0' };
    await host.reload(await config({ a: server.entry({ autoStart: false, env: quick }) }));
    expect(await call).toMatchObject({ content: [{ text: 'hello' }] });
    expect(server.alive()).toEqual([pidOf(host, 'a')]);
    expect(server.overlaps()).toEqual([]);
  });
});

test('the last of overlapping commands of two other programs wins', async () => {
  const server = slow();
  const host = await openHost({ a: server.entry() });
  await host.start();
  const control = await serveControl(host, join(folder, 'control.sock'));
  const [one, other] = [await RemoteHost.connect(control.path), await RemoteHost.connect(control.path)];
  const restarted = code(one!.control('standpipe/restart', { server: 'a' }));
  await until('it stops', () => stateOf(host, 'a') === 'stopping');
  await other!.control('standpipe/stop', { server: 'a' });
  expect(server.alive()).toEqual([]);
  expect(await restarted).toBe('SERVER_STOPPED');
  expect((await one!.status()).servers).toMatchObject([{ state: 'stopped', pid: null }]);
  await Promise.all([one!.close(), other!.close(), control.close()]);
});

test('a process that closes its stdout and keeps running is ended before the next one starts', async () => {
  const server = slow({ LINGER_MS: '1000', CLOSE_STDOUT_MS: '600' });
  const host = await openHost({ a: server.entry({ restart: { backoffMs: 1, maxRestarts: 1 } }) });
  await host.start();
  await until('the next one is there', () => server.lives().length === 2);
  expect(server.overlaps()).toEqual([]);
});

test('a listener that throws does not affect the state change', async () => {
  const warnings: string[] = [];
  const printers = process.listeners('warning');
  process.removeAllListeners('warning'); // the warning is expected, so it is not printed
  process.on('warning', ({ message }) => warnings.push(message));
  const server = slow();
  const host = await openHost(
    { a: server.entry() },
    {
      onStateChange: () => {
        throw new Error('of the listener');
      },
    },
  );
  await host.start();
  expect(stateOf(host, 'a')).toBe('ready');
  await host.stop();
  expect(server.alive()).toEqual([]);
  await until('it is reported', () => warnings.some((text) => text.includes('of the listener')));
  process.removeAllListeners('warning');
  for (const printer of printers) process.on('warning', printer);
});
