// Which recorded request a request matches, and what the error says if there is none.

import { expect, test } from 'vitest';
import { recorded, textOf, WrittenRecording } from './written-recording.ts';

type Client = Awaited<ReturnType<WrittenRecording['client']>>;
const call = async (client: Client, name = 'tool', args: object = {}) =>
  textOf(await client.callTool(name, args as Record<string, unknown>));

test('repeated requests get the recorded answers in order, then the last one', async () => {
  const client = await recorded('one', 'two', 'three').client();
  expect([await call(client), await call(client), await call(client), await call(client)]).toEqual([
    ...['one', 'two', 'three', 'three'],
  ]);
});

test('requests that are sent at once get different answers', async () => {
  const client = await recorded('one', 'two', 'three').client();
  expect((await Promise.all([call(client), call(client), call(client)])).sort()).toEqual(['one', 'three', 'two']);
});

test('the order of members, _meta, task and the answers to questions do not matter', async () => {
  const recording = new WrittenRecording().initialize();
  const _meta = { progressToken: 7, trace: 'x' };
  recording.request(1, 'tools/call', {
    _meta,
    name: 'tool',
    task: { ttl: 1 },
    arguments: { b: [1, { d: 1, c: 2 }], a: 1 },
  });
  recording.text(1, 'same');
  const client = await recording.client();
  expect(await call(client, 'tool', { a: 1, b: [1, { c: 2, d: 1 }] })).toBe('same');
  await expect(call(client, 'tool', { a: 1, b: [{ c: 2, d: 1 }, 1] })).rejects.toThrow('No recorded request');
});

test('an error shows how the nearest recorded request differs', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'weather', { city: 'Oslo', days: 3, unit: 'C' }).text(1, 'sun');
  recording.call(2, 'weather', { city: 'Rome', days: 9 }).text(2, 'rain');
  const client = await recording.client();
  await expect(call(client, 'weather', { city: 'Bergen', days: 3, unit: 'C' })).rejects.toMatchObject({
    rpcCode: -32_602,
    message:
      'No recorded request tools/call "weather" has these parameters. The nearest one has arguments.city "Oslo" instead of "Bergen"',
  });
  await expect(call(client, 'weather', { city: 'Rome' })).rejects.toThrow('has arguments.days 9 instead of absent');
  await expect(call(client, 'wether', { city: 'Rome', days: 9 })).rejects.toThrow('name "weather" instead of "wether"');
  await expect(client.readResource('x://y')).rejects.toThrow(
    'The recording has no request resources/read "x://y". It has: tools/call "weather"',
  );
});

test('the message of an error is bounded, whatever the parameters are', async () => {
  const args = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${i}${'k'.repeat(5_000)}`, 'v'.repeat(5_000)]),
  );
  const client = await new WrittenRecording().initialize().call(1, 't'.repeat(10_000), args).client();
  const error = await call(client, 't'.repeat(10_000), { other: 1 }).catch(String);
  expect(error).toMatch(/; and 96 more differences$/);
  expect(error.length).toBeLessThan(3_000);
});

test('a list that was not recorded has what was used, but a page of a recorded list is missing', async () => {
  const recording = new WrittenRecording().initialize({ tools: {}, prompts: {}, resources: {} });
  recording.request(1, 'tools/list').result(1, { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'p2' });
  recording.request(2, 'tools/list', { cursor: 'p2' }).result(2, { tools: [{ name: 'b', inputSchema: {} }] });
  for (const id of [3, 4]) recording.request(id, 'prompts/get', { name: 'hello' }).result(id, { messages: [] });
  recording.request(5, 'resources/read', { uri: 'a://b' }).result(5, { contents: [] });
  const client = await recording.client();
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(await client.listPrompts()).toEqual({ prompts: [{ name: 'hello' }] });
  expect(await client.listResources()).toEqual({ resources: [{ uri: 'a://b', name: 'a://b' }] });
  expect(await client.listResourceTemplates()).toEqual({ resourceTemplates: [] });
  await expect(client.request('tools/list', { cursor: 'p3' })).rejects.toThrow('cursor "p2" instead of "p3"');
});

test('strict: requests must come in the recorded order', async () => {
  const recording = new WrittenRecording()
    .initialize()
    .call(1, 'a', { n: 1 })
    .text(1, 'one')
    .call(2, 'b')
    .text(2, 'two');
  const client = await recording.client({ strict: true });
  await expect(call(client, 'b')).rejects.toThrow('The next recorded request is tools/call "a", not tools/call "b"');
  await expect(call(client, 'a', { n: 2 })).rejects.toThrow(
    'The next recorded request is tools/call "a" with arguments.n 1 instead of 2',
  );
  expect(await Promise.all([call(client, 'a', { n: 1 }), call(client, 'b')])).toEqual(['one', 'two']);
  await expect(call(client, 'b')).rejects.toThrow('the recording has no further request');
});

test('members with the name __proto__ are compared like others', async () => {
  const recording = new WrittenRecording().initialize();
  const params = (value: number) => `{"name":"tool","arguments":{"__proto__":{"n":${value}}}}`;
  for (const id of [1, 2]) {
    recording.sent(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params(id)}}`).text(id, `of ${id}`);
  }
  const service = recording.replay();
  const { clientOf } = await import('../../src/entry/client.ts');
  const client = await clientOf(service, { checkOutput: false });
  for (const id of [2, 1]) expect(await call(client, 'tool', JSON.parse(params(id)).arguments)).toBe(`of ${id}`);
  await expect(call(client, 'tool', JSON.parse(params(3)).arguments)).rejects.toThrow('arguments.__proto__.n');
});

test('a request with a secret matches its masked form', async () => {
  const recording = new WrittenRecording().initialize();
  const key = `sk-${'a1'.repeat(20)}`;
  recording.call(1, 'login', { password: '[redacted]', user: 'ada' }, { redacted: true }).text(1, 'by name');
  recording
    .call(2, 'fetch', { url: 'https://host/?q=1', note: 'key [redacted]' }, { redacted: true })
    .text(2, 'by form');
  recording
    .call(3, 'store', { card: '[redacted]', at: '/home/[env REGION_CODE]/x' }, { redacted: true })
    .text(3, 'first');
  recording
    .call(4, 'store', { card: '[redacted]', at: '/home/[env REGION_CODE]/x' }, { redacted: true })
    .text(4, 'second');
  const client = await recording.client();
  expect(await call(client, 'login', { password: 'hunter22', user: 'ada' })).toBe('by name');
  expect(await call(client, 'fetch', { url: 'https://host/?q=1', note: `key ${key}` })).toBe('by form');
  const store = { card: { number: 4711 }, at: '/home/eu-north-1/x' };
  expect([await call(client, 'store', store), await call(client, 'store', store)]).toEqual(['first', 'second']);
  await expect(call(client, 'store', { card: 1, at: '/home/eu/y' })).rejects.toThrow('No recorded request');
  const refused = await call(client, 'login', { password: 'hunter22', user: 'eve' }).catch(String);
  expect(refused).toContain('arguments.user "ada" instead of "eve"');
  expect(refused).not.toContain('hunter22');
});

test('requests that differ only in a secret are repetitions, answered in the recorded order', async () => {
  const recording = new WrittenRecording().initialize();
  for (const [id, text] of ['of Ada', 'of Bob'].entries()) {
    recording.call(id, 'login', { password: '[redacted]' }, { redacted: true }).text(id, text);
  }
  const client = await recording.client();
  expect(textOf(await client.callTool('login', { password: 'one secret' }))).toBe('of Ada');
  expect(textOf(await client.callTool('login', { password: 'another secret' }))).toBe('of Bob');
});

test('a secret that was recorded as it is matches too', async () => {
  const client = await new WrittenRecording()
    .initialize()
    .call(1, 'login', { password: 'hunter22' })
    .text(1, 'in')
    .client();
  expect(await call(client, 'login', { password: 'hunter22' })).toBe('in');
});

test('what was too long to be recorded is named', async () => {
  const recording = new WrittenRecording().initialize().call(1, 'big');
  const head = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"xxxx';
  recording.came(head, { cut: true, tail: 'xxxx"}]}}', length: 9_000_000 });
  const long = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"upload","arguments":{"data":"xxxx';
  recording.sent(long, { cut: true, tail: 'xxxx"}}}', length: 9_000_000 }).text(2, 'ok');
  const client = await recording.client();
  await expect(call(client, 'big')).rejects.toThrow(
    'The recorded answer to tools/call "big" is incomplete: it was longer than the recorder keeps. Record it again with a larger --keep-bytes',
  );
  await expect(call(client, 'upload', { data: 'x'.repeat(100) })).rejects.toThrow(
    'The recorded request tools/call "upload" is incomplete',
  );
});

test('otherwise: what the recording does not have is answered by the program', async () => {
  const otherwise = async (method: string) => ({ content: [{ type: 'text', text: `live ${method}` }] });
  const client = await recorded('one').client({ otherwise });
  expect([await call(client), await call(client, 'new')]).toEqual(['one', 'live tools/call']);
});
