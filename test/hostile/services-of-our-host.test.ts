// The services of a host while their processes crash, their entries change and their callers disconnect.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { catalogOf } from '../../src/host/services/catalog.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import type { Params } from '../../src/mcp/service.ts';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf, writeConfig } from '../host/run-host.ts';
import { hostileEntry } from './raw-server.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

let files = 0;
const newFile = () => join(folder, `services-${++files}`);

const eras = {
  legacy: { get: () => 'legacy' as const, set: () => undefined },
  modern: { get: () => 'modern' as const, set: () => undefined },
};
const plain = (env: Record<string, string> = {}, more: object = {}) => ({
  ...hostileEntry('crashes-once'),
  env,
  ...more,
});
const notes = (own: string) => ({ command: process.execPath, args: [serverFile('notes')], env: { OWN: own } });
const openLegacy = (servers: Record<string, object>) => openHost(servers, { eraMemory: eras.legacy });

async function serveHost(servers: Record<string, object>, options?: HostOptions) {
  const host = await openHost(servers, options);
  const path = newFile();
  opened.push(await serveControl(host, path));
  const remote = (await RemoteHost.connect(path))!;
  opened.push(remote);
  return { host, path, remote };
}

const request = (host: Host, method: string, params: Params, caller = new TestCaller()) =>
  Promise.resolve(host.service('a').request(method, params, caller));

describe('a subscription', () => {
  const filter = { resourceSubscriptions: ['plain://1'] };

  test('begins on the next process if the first one crashes during the subscription', async () => {
    const host = await openLegacy({ a: plain({ CRASH_AT: 'resources/subscribe', ONCE_FILE: newFile() }) });
    const watcher = new TestWatcher(filter);
    await host.service('a').watch(watcher);
    await host.callTool('a', 'update');
    await watcher.until(() => watcher.heard.length > 0);
    expect(watcher.isEnded).toBe(false);
  });

  test('is renewed on the process after one that crashes during the renewal', async () => {
    const once = newFile();
    writeFileSync(once, '');
    const host = await openLegacy({ a: plain({ CRASH_AT: 'resources/subscribe', ONCE_FILE: once }) });
    const watcher = new TestWatcher(filter);
    await host.service('a').watch(watcher);
    rmSync(once);
    await host.restartServer('a');
    await watcher.until(() => watcher.heard.length > 0);
    await host.callTool('a', 'update');
    await watcher.until(() => watcher.heard.length > 1);
    expect(watcher.isEnded).toBe(false);
  });

  test('a subscription whose watcher throws at the restart is reported, and the host and other watchers continue', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const host = await openLegacy({ a: plain() });
    const throwing = () => {
      throw new Error('a watcher fails');
    };
    await host.service('a').watch({ filter, notified: throwing });
    await host.service().watch({ filter: { toolsListChanged: true }, notified: throwing });
    const watcher = new TestWatcher(filter);
    await host.service('a').watch(watcher);
    await host.restartServer('a');
    await watcher.until(() => watcher.heard.length === 1);
    await host.reload(await loadConfig({ file: writeConfig({ b: plain({}, { autoStart: false }) }) }));
    expect(host.names).toEqual(['b']);
    expect(String(warned.mock.calls[0])).toContain('a watcher fails');
    warned.mockRestore();
  });
});

describe('a tool that the entry denies', () => {
  const rules = { tools: { deny: ['denied'] } };

  test.each([
    ['an array with its name', 'tools/call', { name: ['denied'] }],
    ['an object', 'tools/call', { name: { 0: 'denied', length: 1 } }],
    ['no name', 'tools/call', {}],
    ['a dialect', 'mcp/tools/call', { name: 'denied' }],
  ])('cannot be called by %s', async (_, method, params) => {
    const log = newFile();
    const host = await openLegacy({ a: plain({ LOG_FILE: log }, rules) });
    await expect(request(host, method, params)).rejects.toMatchObject({ name: 'RpcError' });
    await host.callTool('a', 'allowed');
    expect(readFileSync(log, 'utf8')).not.toContain('denied');
  });

  test('is not listed among entries of wrong types', async () => {
    const host = await openLegacy({ a: { ...hostileEntry('lists-odd-entries'), tools: { deny: ['odd'] } } });
    const { tools } = await request(host, 'tools/list', {});
    expect(tools).toEqual(expect.not.arrayContaining([expect.objectContaining({ name: 'odd' })]));
  });

  test('cannot be called through the socket with repeated prefixes', async () => {
    const { remote } = await serveHost({ a: { ...notes('a'), tools: { deny: ['only_a'] } } });
    for (const method of ['mcp/tools/call', 'mcp/mcp/tools/call', 'mcp/mcp/mcp/tools/call']) {
      await expect(remote.client('a').request(method, { name: 'only_a' })).rejects.toThrow();
    }
  });
});

test('an error names the server that was removed during the search for its tool', async () => {
  const host = await openLegacy({ a: plain({ NEVER_READY: '1' }), b: plain() });
  const call = Promise.resolve(host.service().request('tools/call', { name: 'allowed' }, new TestCaller()));
  const failed = expect(call).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  await until('b was asked', () => stateOf(host, 'b') === 'ready' && stateOf(host, 'a') === 'starting');
  await host.callTool('b', 'allowed'); // its list has been answered before
  await host.reload(await loadConfig({ file: writeConfig({ a: plain({ NEVER_READY: '1' }) }) }));
  await host.stopServer('a');
  await failed;
});

test('a caller that cancels during the start of the server does not wait any longer', async () => {
  const host = await openLegacy({ a: plain({ NEVER_READY: '1' }) });
  const caller = new TestCaller();
  const call = request(host, 'tools/call', { name: 'allowed' }, caller);
  await until('it starts', () => stateOf(host, 'a') === 'starting');
  caller.cancel();
  await expect(call).rejects.toThrow('The test cancels');
});

test('a call without a time limit has none through the socket either', async () => {
  const log = newFile();
  const limits = { requestTimeoutMs: 1, pingTimeoutMs: 0 };
  const { host, remote } = await serveHost({ a: plain({ LOG_FILE: log }, limits) }, { eraMemory: eras.legacy });
  await expect(remote.client('a').callTool('hang')).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  const call = remote.client('a').callTool('hang', {}, { timeoutMs: Number.POSITIVE_INFINITY });
  const failed = expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect(remote.client('a').callTool('hang')).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  await host.stopServer('a');
  await failed;
});

describe.each(['modern', 'legacy'] as const)(
  'a program that watches several servers of the %s era through the socket',
  (era) => {
    test('receives each notification from its own server only, also after the other subscription ended', async () => {
      const { remote } = await serveHost({ a: notes('a'), b: notes('b') }, { eraMemory: eras[era] });
      const shared = { resourceSubscriptions: ['notes://shared'] };
      const [ofA, ofB] = [new TestWatcher(shared), new TestWatcher(shared)];
      const stopA = await remote.service('a').watch(ofA);
      await remote.service('b').watch(ofB);
      await remote.client('a').callTool('write', { text: 'x' });
      await ofA.until(() => ofA.heard.length === 1);
      await remote.client('b').callTool('write', { text: 'x' });
      await ofB.until(() => ofB.heard.length === 1);
      stopA();
      await remote.client('a').callTool('write', { text: 'y' });
      await remote.client('b').callTool('write', { text: 'y' });
      await ofB.until(() => ofB.heard.length === 2);
      expect(ofA.heard).toHaveLength(1);
    });
  },
);

test('a server that lists entries of wrong types or a costly template does not affect the others', async () => {
  const host = await openLegacy({ odd: hostileEntry('lists-odd-entries'), b: notes('b') });
  const client = await clientOf(host.service());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('b__only_b');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('b__greet_b');
  expect(await client.callTool('only_b')).toMatchObject({ content: [{ text: 'b' }] });
  expect(await client.readResource('b://7')).toMatchObject({ contents: [{ text: 'b 7' }] });
  await expect(client.readResource(`plain://${'a'.repeat(60)}`)).rejects.toMatchObject({ rpcCode: -32602 });
});

test('a name that one server lists 300,000 times counts as shared only with the other server', () => {
  const many = Array.from({ length: 300_000 }, () => 'same');
  const lists = new Map<string, string[]>([
    ['a', many],
    ['b', ['same']],
  ]);
  const offers = catalogOf(lists, (name) => name);
  expect(offers).toHaveLength(300_001);
  expect(offers[0]).toMatchObject({ address: 'a/same', sharedWith: ['b'] });
  expect(offers.at(-1)).toMatchObject({ address: 'b/same', sharedWith: ['a'] });
});
