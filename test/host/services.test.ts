// The servers of a host as services: one by its name, or the merged service.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import { type Caller, newClient, type Params, type Service, type WatchFilter } from '../../src/mcp/service.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf } from './run-host.ts';

const notes = (own: string, more: object = {}) => ({
  command: process.execPath,
  args: [serverFile('notes')],
  env: { OWN: own },
  ...more,
});

const eras = {
  modern: { get: () => 'modern' as const, set: () => undefined },
  legacy: { get: () => 'legacy' as const, set: () => undefined },
};
const everyEra = Object.keys(eras) as (keyof typeof eras)[];

function callerOf(more: Partial<Caller> = {}): Caller {
  return {
    client: { identity: newClient(), revision: '2026-07-28', capabilities: {}, info: undefined, logLevel: undefined },
    signal: undefined,
    wantsProgress: false,
    progress: () => undefined,
    log: () => undefined,
    ask: () => Promise.reject(new Error('not expected')),
    ...more,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: results are opaque
const ask = (service: Service, method: string, params: Params = {}, caller = callerOf()): Promise<any> =>
  Promise.resolve(service.request(method, params, caller));

async function watch(service: Service, filter: WatchFilter) {
  const heard: { method: string; uri: unknown }[] = [];
  const stop = await service.watch({
    filter,
    notified: (method, params) => heard.push({ method, uri: params?.uri }),
  });
  return { heard, stop };
}

/** Methods that the host sent to its servers. */
const sent = (host: Host): string[] =>
  host.flow
    .since(0)
    .flatMap((event) => (event.kind === 'frame' && event.direction === 'toServer' ? [event.payload] : []))
    .map((payload) => JSON.parse(Buffer.from(payload).toString()).method);

const updated = (uri: string) => ({ method: 'notifications/resources/updated', uri });
const listChanged = (kind: string) => ({ method: `notifications/${kind}/list_changed`, uri: undefined });

describe.each(everyEra)('a server of the %s era', (era) => {
  const open = (entry = notes('a')) => openHost({ a: entry }, { eraMemory: eras[era] });

  test('is described once it is ready', async () => {
    const host = await open();
    const { info, instructions, capabilities } = await host.service('a').describe();
    expect({ info, instructions }).toMatchObject({ info: { name: 'notes' }, instructions: 'The notes of a' });
    expect(capabilities.completions).toEqual({});
    expect(stateOf(host, 'a')).toBe('ready');
  });

  test('answers completions, resources and prompts', async () => {
    const service = (await open()).service('a');
    const ref = { type: 'ref/resource', uri: 'a://{id}' };
    const { completion } = await ask(service, 'completion/complete', { ref, argument: { name: 'id', value: 'a' } });
    expect(completion.values).toEqual(['a1', 'a2']);
    expect((await ask(service, 'resources/read', { uri: 'a://7' })).contents[0].text).toBe('a 7');
    const { messages } = await ask(service, 'prompts/get', { name: 'greet_a', arguments: { name: 'Ada' } });
    expect(messages[0].content.text).toBe('Hello, Ada, from a');
  });

  test('passes progress and unknown members of the result to the caller', async () => {
    const service = (await open()).service('a');
    const steps: Params[] = [];
    const caller = callerOf({ wantsProgress: true, progress: (step) => steps.push(step) });
    const result = await ask(service, 'tools/call', { name: 'only_a' }, caller);
    expect(result).toMatchObject({ _meta: { 'example.com/kept': [1] } });
    expect(steps).toMatchObject([{ progress: 1, total: 2, message: 'half' }]);
  });

  test('neither lists nor calls tools that its entry denies', async () => {
    const service = (await open(notes('a', { tools: { deny: ['die', 'declare'] } }))).service('a');
    const { tools } = await ask(service, 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['write', 'only_a', 'asks']);
    await expect(ask(service, 'tools/call', { name: 'die' })).rejects.toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  });

  test('neither lists nor calls tools that its entry denies for a program that uses its client', async () => {
    const host = await open(notes('a', { tools: { deny: ['die', 'declare'] } }));
    const { tools } = await host.use('a', (client) => client.listTools());
    expect(tools.map(({ name }) => name)).toEqual(['write', 'only_a', 'asks']);
    const denied = { code: 'TOOL_NOT_ALLOWED' };
    await expect(host.use('a', (client) => client.callTool('die'))).rejects.toMatchObject(denied);
    await expect(host.use('a', (client) => client.request('tools/call', { name: 'die' }))).rejects.toMatchObject(
      denied,
    );
    const caller = callerOf({});
    const direct = host.use('a', async (client) => client.service.request('tools/call', { name: 'die' }, caller));
    await expect(direct).rejects.toMatchObject(denied);
    expect(await host.use('a', (client) => client.callTool('only_a'))).toHaveProperty('content');
    expect(host.status()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  test('a subscription is shared, and ends with its last watcher', async () => {
    const host = await open();
    const service = host.service('a');
    const first = await watch(service, { resourceSubscriptions: ['notes://shared'] });
    const second = await watch(service, { resourceSubscriptions: ['notes://shared'] });
    await ask(service, 'tools/call', { name: 'write', arguments: { text: 'second' } });
    await until('both have received it', () => first.heard.length === 1 && second.heard.length === 1);
    first.stop();
    await ask(service, 'tools/call', { name: 'write', arguments: { text: 'third' } });
    await until('the other has received it', () => second.heard.length === 2);
    expect(first.heard).toEqual([updated('notes://shared')]);
    expect(second.heard).toEqual([updated('notes://shared'), updated('notes://shared')]);
    second.stop();
    if (era === 'modern') return; // in 2026-07-28, one subscription contains everything that is watched
    await until('the server is notified', () => sent(host).includes('resources/unsubscribe'));
    expect(sent(host).filter((method) => method.startsWith('resources/'))).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
  });

  test('a subscription continues at the next process, which starts with a notification for everything', async () => {
    const service = (await open(notes('a', { restart: { policy: 'always' } }))).service('a');
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['notes://shared'] };
    const { heard } = await watch(service, filter);
    await ask(service, 'tools/call', { name: 'die' }).catch(() => undefined); // the exit is intended
    await until('the next process is followed', () => heard.length >= 3);
    expect(heard).toEqual([listChanged('tools'), listChanged('prompts'), updated('notes://shared')]);
    await ask(service, 'tools/call', { name: 'write', arguments: { text: 'x' } });
    await ask(service, 'tools/call', { name: 'declare' });
    await until('it is received', () => heard.length === 5);
    expect(heard.slice(3)).toEqual([updated('notes://shared'), listChanged('tools')]);
  });

  test('a subscription to lists does not start the server, and is notified of its start', async () => {
    const host = await open();
    const { heard } = await watch(host.service('a'), { toolsListChanged: true });
    expect(stateOf(host, 'a')).toBe('stopped');
    await host.startServer('a');
    await until('it is received', () => heard.length === 1);
  });
});

test('a server receives no requests for lists that it does not declare, and this is not counted as an error', async () => {
  const entry = { command: process.execPath, args: [serverFile('ends-subscriptions')] };
  const host = await openHost({ a: entry }, { eraMemory: eras.modern });
  await expect(ask(host.service('a'), 'resources/list')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await expect(ask(host.service('a'), 'prompts/list')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  expect(sent(host)).not.toContain('resources/list');
  expect(host.status()).toMatchObject([{ errors: 0, lastError: undefined }]);
});

test('a subscription ends when the server ends it, not with the process', async () => {
  const entry = { command: process.execPath, args: [serverFile('ends-subscriptions')] };
  const host = await openHost({ a: entry }, { eraMemory: eras.modern });
  await host.startServer('a');
  let ends = 0;
  await host.service('a').watch({
    filter: { toolsListChanged: true },
    notified: () => undefined,
    ended: () => ends++,
  });
  await host.restartServer('a');
  expect(ends).toBe(0);
  await until('the next process is watched', async () => {
    await host.callTool('a', 'end');
    return ends === 1;
  });
});

test('a subscription continues after the loss of a process at which it began', async () => {
  const env = { LIVES_FILE: join(folder, 'lives-of-a-watch') };
  const entry = { command: process.execPath, args: [serverFile('ends-subscriptions')], env };
  const host = await openHost({ a: { ...entry, restart: { backoffMs: 1 } } }, { eraMemory: eras.modern });
  await host.startServer('a');
  const heard: string[] = [];
  await host.service('a').watch({
    filter: { toolsListChanged: true },
    notified: (method) => heard.push(method),
    ended: () => expect.unreachable('the third process is watched'),
  });
  await host.restartServer('a').catch(() => undefined); // the second process may exit before it is ready
  await until('the third process is watched', () => heard.length > 0);
  expect(readFileSync(env.LIVES_FILE, 'utf8')).toBe('xxx');
});

describe('the merged service', () => {
  let host: Host;
  const open = async () => {
    host = await openHost({ a: notes('a'), b: notes('b'), broken: { command: 'no-such-command-here' } });
    return host.service();
  };
  const names = (entries: { name: string }[]) => entries.map(({ name }) => name);

  test('is described without starting a server', async () => {
    const service = await open();
    expect(await service.describe()).toMatchObject({ info: { name: 'standpipe' } });
    expect(host.status().map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  test('lists every tool and prompt with its server, a resource only if several servers have it', async () => {
    const service = await open();
    const { tools, _meta } = await ask(service, 'tools/list');
    expect(names(tools)).toEqual([
      ...['a__write', 'a__only_a', 'a__declare', 'a__asks', 'a__die'],
      ...['b__write', 'b__only_b', 'b__declare', 'b__asks', 'b__die'],
    ]);
    expect(tools[0]._meta).toEqual({ 'dev.standpipe/offer': { server: 'a', name: 'write', sharedWith: ['b'] } });
    expect(_meta['dev.standpipe/failed']).toMatchObject([{ server: 'broken', error: { code: 'SERVER_FAILED' } }]);
    expect(Object.keys(_meta['dev.standpipe/failed'][0].error)).not.toContain('evidence');
    expect(names((await ask(service, 'prompts/list')).prompts)).toEqual(['a__greet_a', 'b__greet_b']);
    const { resources } = await ask(service, 'resources/list');
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      ...['standpipe://a/notes://shared', 'notes://a'],
      ...['standpipe://b/notes://shared', 'notes://b'],
    ]);
    await expect(ask(service, 'tools/list', { cursor: 'x' })).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('asks only ready servers if requested', async () => {
    const service = await open();
    await host.startServer('b');
    const { tools } = await ask(service, 'tools/list', { _meta: { 'dev.standpipe/wait': 'none' } });
    expect(names(tools)).toEqual(['b__write', 'b__only_b', 'b__declare', 'b__asks', 'b__die']);
    expect(stateOf(host, 'a')).toBe('stopped');
  });

  test('sends calls, reads, prompts and completions to the server that has the name', async () => {
    const service = await open();
    expect((await ask(service, 'tools/call', { name: 'only_b' })).content[0].text).toBe('b');
    expect((await ask(service, 'tools/call', { name: 'b__only_b' })).content[0].text).toBe('b');
    const write = await ask(service, 'tools/call', { name: 'b/write', arguments: { text: 'x' } });
    expect(write.content[0].text).toBe('b has x');
    await expect(ask(service, 'tools/call', { name: 'write' })).rejects.toMatchObject({
      rpcCode: -32602,
      message: 'Several servers have a tool named "write": a/write, b/write',
    });
    await expect(ask(service, 'tools/call', { name: 'nothing' })).rejects.toMatchObject({ rpcCode: -32602 });
    const read = async (uri: string) => {
      const { contents } = await ask(service, 'resources/read', { uri });
      expect(contents[0].uri).toBe(uri);
      return contents[0].text;
    };
    expect(await read('notes://b')).toBe('of b');
    expect(await read('b/notes://shared')).toBe('x');
    expect(await read('standpipe://b/notes://shared')).toBe('x');
    expect(await read('standpipe://a/a://9')).toBe('a 9');
    await expect(read('notes://shared')).rejects.toMatchObject({
      message: expect.stringContaining('standpipe://a/notes://shared, standpipe://b/notes://shared'),
    });
    expect(await read('a://9')).toBe('a 9');
    await expect(read('nowhere://9')).rejects.toMatchObject({ rpcCode: -32602 });
    const { messages } = await ask(service, 'prompts/get', { name: 'b__greet_b', arguments: { name: 'Ada' } });
    expect(messages[0].content.text).toBe('Hello, Ada, from b');
    const complete = (ref: object, name: string) =>
      ask(service, 'completion/complete', { ref, argument: { name, value: 'b' } });
    const byPrompt = await complete({ type: 'ref/prompt', name: 'a__greet_a' }, 'name');
    expect(byPrompt.completion.values).toEqual(['b!']);
    const byTemplate = await complete({ type: 'ref/resource', uri: 'b://{id}' }, 'id');
    expect(byTemplate.completion.values).toEqual(['b1']);
    await expect(ask(service, 'example/other')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  });

  test('updates have the subscribed URIs', async () => {
    const service = await open();
    const addresses = ['standpipe://b/notes://shared', 'b/notes://shared'];
    const { heard, stop } = await watch(service, { resourceSubscriptions: addresses });
    await ask(service, 'tools/call', { name: 'a__write', arguments: { text: 'not watched' } });
    await ask(service, 'tools/call', { name: 'b__write', arguments: { text: 'watched' } });
    await until('it is received', () => heard.length > 1);
    expect(heard).toEqual(addresses.map(updated));
    stop();
  });

  test('subscribes at servers that are added later', async () => {
    const service = await open();
    const { heard } = await watch(service, { toolsListChanged: true });
    const { loadConfig } = await import('../../src/config/files/load-config.ts');
    const { writeConfig } = await import('./run-host.ts');
    await host.reload(await loadConfig({ file: writeConfig({ c: notes('c', { autoStart: false }) }) }));
    expect(heard).toEqual([listChanged('tools')]);
    await host.startServer('c');
    await until('its start is received', () => heard.length === 2);
    await ask(service, 'tools/call', { name: 'declare' });
    await until('its change is received', () => heard.length === 3);
  });
});
