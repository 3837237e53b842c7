// Data that a client can make a server keep is limited in bytes and in number, with an error that names the limit.

import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import type { Call } from '../../src/mcp/server/call.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { RawClient, resultOf } from './raw-client.ts';

const info = { name: 'bounded', version: '1.0.0' };
const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024);
const canBeAsked = { roots: {} };

function asking(options: { maxSuspendedBytes: number }) {
  const server = new Server(info, options);
  const givenUp: string[] = [];
  server.tool('ask', { input: { type: 'object' } }, async ({ name }, call) => {
    call.signal.addEventListener('abort', () => givenUp.push(String(name)));
    return { roots: await call.roots() };
  });
  return { server, givenUp };
}

const stateOf = (answer: Parameters<typeof resultOf>[0]) => resultOf<{ requestState: string }>(answer).requestState;

test('refuses requests beyond maxInboundBytes as busy, and accepts them again later', async () => {
  const server = new Server(info, { maxInboundBytes: 3 * 1024 * 1024, maxConcurrent: 1 });
  let end: (() => void) | undefined;
  server.tool('wait', {}, () => {
    return new Promise<string>((resolve) => {
      end = () => resolve('done');
    });
  });
  const client = await RawClient.connect(server);
  await client.initialize();
  const call = (id: number) => client.request('tools/call', { name: 'wait', arguments: { text: megabytes(1) } }, id);
  const first = call(1);
  const second = call(2);
  expect(await call(3)).toMatchObject({
    error: {
      code: -31001,
      message: expect.stringContaining('Too many request bytes'),
      data: { maxInboundBytes: 3 * 1024 * 1024 },
    },
  });
  expect(await client.request('ping')).toMatchObject({ result: {} });
  end!();
  expect(await first).toMatchObject({ result: { content: [{ text: 'done' }] } });
  const fourth = call(4);
  await client.request('ping');
  end!();
  await second;
  await client.request('ping');
  end!();
  expect(await fourth).toMatchObject({ result: { content: [{ text: 'done' }] } });
});

test('ends suspended handlers by the size of their data, the oldest first', async () => {
  const { server, givenUp } = asking({ maxSuspendedBytes: 5 * 1024 * 1024 });
  const client = await RawClient.connect(server);
  const call = (name: string, more: object = {}) =>
    client.modern('tools/call', { name: 'ask', arguments: { name, text: megabytes(1) }, ...more }, canBeAsked);
  const oldest = stateOf(await call('oldest'));
  const second = stateOf(await call('second'));
  expect(givenUp).toEqual([]);
  stateOf(await call('third'));
  expect(givenUp).toEqual(['oldest']);
  expect(await call('oldest', { requestState: oldest })).toMatchObject({ error: { code: -32602 } });
  const inputResponses = { 'input-1': { roots: [] } };
  expect(await call('second', { requestState: second, inputResponses })).toMatchObject({
    result: { structuredContent: { roots: [] } },
  });
});

test('counts all data of a retry, even outside of known parameters', async () => {
  const { server, givenUp } = asking({ maxSuspendedBytes: 3 * 1024 * 1024 });
  const client = await RawClient.connect(server);
  const call = (name: string, more: object = {}, meta: object = {}) =>
    client.modern('tools/call', { name: 'ask', arguments: { name }, ...more }, canBeAsked, meta);
  stateOf(await call('small', {}, { junk: megabytes(0.5) }));
  const requestState = stateOf(await call('grows', {}, { junk: megabytes(1) }));
  expect(givenUp).toEqual([]);
  stateOf(await call('grows', { requestState }, { junk: megabytes(1.9) }));
  expect(givenUp).toEqual(['small']);
});

test.each<[string, (call: Call) => unknown]>([
  [
    'its question',
    (call) => call.elicit({ message: megabytes(1), requestedSchema: { type: 'object', properties: {} } }),
  ],
  ['the key of its question', (call) => call.roots({ name: megabytes(1) })],
  [
    'a later question',
    async (call) => {
      const later = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return call.roots({ name: megabytes(1) });
      };
      return Promise.all([call.roots(), later()]);
    },
  ],
  [
    'its result',
    async (call) => {
      call.roots().catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      return megabytes(0.5); // in the content and in the structured content
    },
  ],
])('the size of a suspended call includes %s', async (_, ask) => {
  const server = new Server(info, { maxSuspendedBytes: 2.5 * 1024 * 1024 });
  const givenUp: unknown[] = [];
  server.tool('ask', { input: { type: 'object' } }, async ({ name }, call) => {
    call.signal.addEventListener('abort', () => givenUp.push(name));
    return { answer: await ask(call) };
  });
  const client = await RawClient.connect(server);
  for (const name of ['oldest', 'second', 'third']) {
    stateOf(
      await client.modern('tools/call', { name: 'ask', arguments: { name } }, { ...canBeAsked, elicitation: {} }),
    );
  }
  await expect.poll(() => givenUp).toEqual(['oldest']);
});

test('the size of a suspended call includes the requestState of a server behind it', async () => {
  const [here, there] = memoryPair();
  const results: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: info },
    'tools/call': { inputRequests: { roots: { method: 'roots/list' } }, requestState: megabytes(1) },
  };
  there.onmessage = (message) => {
    const { id, method, params } = message as { id: number; method: string; params: { requestState?: string } };
    const resultType = method === 'tools/call' && !params.requestState ? 'input_required' : 'complete';
    const result = { resultType, content: [], ...(params.requestState ? {} : results[method]) };
    void there.send({ jsonrpc: '2.0', id, result } as never);
  };
  await there.start();
  const { service } = await connect(here, { revision: '2026-07-28' });
  const client = await RawClient.connect(service, { maxSuspendedBytes: 2.5 * 1024 * 1024 });
  const call = (more: object = {}) => client.modern('tools/call', { name: 'ask', ...more }, canBeAsked);
  const [oldest, second] = [stateOf(await call()), stateOf(await call()), stateOf(await call())];
  const inputResponses = { roots: { roots: [] } };
  expect(await call({ requestState: oldest, inputResponses })).toMatchObject({ error: { code: -32602 } });
  expect(await call({ requestState: second, inputResponses })).toMatchObject({ result: { content: [] } });
});

test('refuses a request that is too long to suspend, and resumes no other', async () => {
  const { server, givenUp } = asking({ maxSuspendedBytes: 1024 * 1024 });
  const client = await RawClient.connect(server);
  const ask = (text: string) => client.modern('tools/call', { name: 'ask', arguments: { text } }, canBeAsked);
  stateOf(await ask(''));
  expect(await ask(megabytes(1))).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('The request and its questions are too long') },
  });
  expect(givenUp).toEqual([]);
});

test('refuses a state of dots only like any other', async () => {
  const { server } = asking({ maxSuspendedBytes: 1024 });
  const client = await RawClient.connect(server);
  const requestState = '.'.repeat(5_000_000);
  expect(await client.modern('tools/call', { name: 'ask', requestState }, canBeAsked)).toMatchObject({
    error: { code: -32602, data: { requestState: 'unknown' } },
  });
});

test('refuses modern subscriptions with more than 64 members', async () => {
  const client = await RawClient.connect(new Server(info));
  const notifications = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`m${at}`, true]));
  expect(await client.modern('subscriptions/listen', { notifications })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('at most 64 members') },
  });
});

test('limits modern subscriptions in bytes, and a cancelled one frees its share', async () => {
  const server = new Server(info);
  server.resource('mem://a', { name: 'a' }, () => 'a');
  const client = await RawClient.connect(server);
  const notifications = { resourceSubscriptions: [`mem://${megabytes(7)}`] };
  const isOpen = (id: number) =>
    client.until(
      ({ method, params }) =>
        method === 'notifications/subscriptions/acknowledged' &&
        (params?._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/subscriptionId'] === id,
    );
  for (const id of [100, 101]) {
    void client.modern('subscriptions/listen', { notifications });
    await isOpen(id);
  }
  expect(await client.modern('subscriptions/listen', { notifications })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('Subscriptions too long') },
  });
  client.notify('notifications/cancelled', { requestId: 100 });
  void client.modern('subscriptions/listen', { notifications });
  await isOpen(103);
});

test('limits legacy subscriptions in characters, and counts each once', async () => {
  const server = new Server(info);
  server.resource('mem://a', { name: 'a' }, () => 'a');
  const client = await RawClient.connect(server);
  await client.initialize();
  const [one, other] = [`mem://1${megabytes(7)}`, `mem://2${megabytes(7)}`];
  for (const uri of [one, one, one, other]) {
    expect(await client.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
  }
  const uri = `mem://3${megabytes(7)}`;
  expect(await client.request('resources/subscribe', { uri })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('Subscriptions too long') },
  });
  await client.request('resources/unsubscribe', { uri: one });
  expect(await client.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
});
