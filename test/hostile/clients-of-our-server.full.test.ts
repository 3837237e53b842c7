// One of our servers and clients that write invalid messages: each is answered or ignored, and the server continues.

import { expect, test } from 'vitest';
import { RawServer } from './raw-server.ts';

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

async function opened(protocolVersion = '2025-11-25'): Promise<RawServer> {
  const server = new RawServer('takes-odd-requests');
  await server.initialize(protocolVersion, { elicitation: {} });
  server.write({ method: 'notifications/initialized' });
  return server;
}

async function goesOn(server: RawServer): Promise<void> {
  expect(await server.request('still there?', 'ping')).toMatchObject({ result: {} });
}

test('a cancellation reason that cannot be converted to text does not break the server', async () => {
  const server = await opened();
  server.write({ id: 1, method: 'tools/call', params: { name: 'ask' } });
  await server.until(({ method }) => method === 'elicitation/create');
  server.write({ method: 'notifications/cancelled', params: { requestId: 1, reason: { toString: 1 } } });
  await goesOn(server);
  expect(server.received.filter(({ id, method }) => id === 1 && method === undefined)).toEqual([]);
});

test('a call with members nested 20,000 deep is refused, and the server continues', async () => {
  const server = new RawServer('takes-odd-requests');
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const params = `{"name":"ask","junk":${deep},"_meta":${JSON.stringify(modernMeta)}}`;
  server.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
  expect(await server.until(({ id }) => id === 1)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('1,000 levels') },
  });
  expect(await server.request(2, 'tools/call', { name: 'ask', _meta: modernMeta })).toMatchObject({
    result: { resultType: 'input_required' },
  });
});

test('a call with the prefix of one era and the envelope of another is answered with its question', async () => {
  const server = new RawServer('takes-odd-requests');
  const asked = await server.request(1, 'mcp/tools/call', { name: 'ask', _meta: modernMeta });
  expect(asked).toMatchObject({ result: { resultType: 'input_required', inputRequests: expect.any(Object) } });
  expect(await server.request(2, 'tools/list', { _meta: modernMeta })).toMatchObject({ result: {} });
});

test('a repeated id of a cancelled prefixed call gets the answer to the new request', async () => {
  const server = await opened();
  server.write({ id: 1, method: 'mcp/tools/call', params: { name: 'wait' } });
  server.write({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await goesOn(server);
  expect(await server.request(1, 'resources/read', { uri: 'mem://a' })).toMatchObject({
    result: { contents: [{ uri: 'mem://a', text: 'the text of a' }] },
  });
  await goesOn(server);
});

test('a batch of 200,000 entries is refused with one error', async () => {
  const server = await opened('2025-03-26');
  const seen = server.received.length;
  server.write(`[${'1,'.repeat(199_999)}1]`);
  await goesOn(server);
  expect(server.received.slice(seen)).toMatchObject([{ error: { code: -32600 } }, { id: 'still there?' }]);
});

test('a URI of 200,000 characters that is slow to match is answered as unknown', async () => {
  const server = await opened();
  const uri = `mem://a/${'.'.repeat(200_000)}/`;
  expect(await server.request(1, 'resources/read', { uri })).toMatchObject({ error: { code: expect.any(Number) } });
  await goesOn(server);
});

test('requests that are never answered are refused beyond 256 MiB, and the server continues', async () => {
  const server = await opened();
  const junk = 'x'.repeat(60 * 1024 * 1024);
  const ids = [1, 2, 3, 4, 5];
  for (const id of ids) server.write({ id, method: 'tools/call', params: { name: 'wait', junk } });
  const answer = await server.until((message) => message.id === 5);
  expect(answer).toMatchObject({ error: { code: -31001, message: expect.stringContaining('Too many request bytes') } });
  await goesOn(server);
  server.write({ method: 'notifications/cancelled', params: { requestId: 1 } });
  server.write({ id: 7, method: 'tools/call', params: { name: 'wait', junk } });
  await goesOn(server);
  expect(server.received.filter(({ id }) => typeof id === 'number').map(({ id }) => id)).toEqual([5]);
}, 600_000);
