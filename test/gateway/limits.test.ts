// The limits of the HTTP gateway over real connections: a request above a limit is refused with the limit, its value and a remedy, and its
// count is released however the request ends.

import { createServer, request as httpRequest, type IncomingMessage, type Server as NodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Principal } from '../../src/host/gateway/access/auth.ts';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { HttpGateway } from '../../src/host/gateway/http/http-gateway.ts';
import { Limits } from '../../src/host/gateway/limits.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

const zero = { sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 };
const principals: Record<string, Principal> = {
  ada: { name: 'ada', quotas: { inFlight: 2, sessions: 1, streams: 1, waitingBytes: 2000 } },
  grace: { name: 'grace', quotas: { requestsPerMinute: 1 } },
};

let limits: Limits;
let gateway: HttpGateway;
let listener: NodeServer;
let goOn: () => void;
let running = 0;

beforeEach(async () => {
  const server = new Server({ name: 'limited', version: '1.0.0' });
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  running = 0;
  server.resource('a://', { name: 'a' }, () => 'a');
  server.tool('echo', {}, () => 'here');
  server.tool('waits', {}, async () => {
    running++;
    await released;
    return 'done';
  });
  limits = new Limits({ maxInFlight: 4, maxStreams: 2, maxSessions: 3, maxWaitingBytes: 5000 });
  gateway = new HttpGateway(server.service, {}, limits);
  listener = createServer((request, response) => {
    const exchange = new NodeExchange(request, response);
    exchange.principal = principals[request.headers['x-principal'] as string];
    if (request.headers['x-checked'] === 'slowly')
      response.on('close', () => setImmediate(() => gateway.handle(exchange)));
    else gateway.handle(exchange);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  goOn();
  await gateway.close();
  listener.closeAllConnections();
  listener.close();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: object;
  principal?: string;
  isChunked?: boolean;
}

/** Resolves when the answer starts. */
function open({ method = 'POST', path = '/', headers = {}, body, principal = '', isChunked = false }: Sent) {
  const { port } = listener.address() as AddressInfo;
  const given = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-principal': principal,
    ...headers,
  };
  const request = httpRequest({ port, host: '127.0.0.1', method, path, headers: given });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  response.catch(() => undefined); // the test may destroy the request
  const text = body === undefined ? '' : JSON.stringify(body);
  if (isChunked) for (let from = 0; from < text.length; from += 1000) request.write(text.slice(from, from + 1000));
  request.end(isChunked ? undefined : text);
  return { request, response };
}

async function send(sent: Sent) {
  const response = await open(sent).response;
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

const modern = (method: string, params: { name?: string; [key: string]: unknown }, principal?: string): Sent => ({
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } },
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  },
  principal,
});
const call = (name: string, principal?: string, args: object = {}) =>
  modern('tools/call', { name, arguments: args }, principal);
const initialize: Sent = {
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  },
};
const counted = (expected: Partial<typeof zero>) =>
  expect.poll(() => limits.counts, { timeout: 20_000 }).toMatchObject(expected);
const runs = (count: number) => expect.poll(() => running, { timeout: 20_000 }).toBe(count);

test('refuses a principal at its quota of calls in flight with 429, and serves others', async () => {
  const waiting = [open(call('waits', 'ada')), open(call('waits', 'ada'))];
  await runs(2);
  const refused = await send(call('echo', 'ada'));
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(JSON.parse(refused.text).error).toMatchObject({
    code: -31001,
    message: expect.stringContaining('this principal may have 2'),
    data: { limit: 'inFlight', value: 2 },
  });
  expect((await send(call('echo'))).status).toBe(200);
  goOn();
  for (const { response } of waiting) (await response).resume();
  await counted(zero);
  expect((await send(call('echo', 'ada'))).status).toBe(200);
});

test('refuses all clients at the limit of the gateway with 503, until one disconnects', async () => {
  const waiting = [1, 2, 3, 4].map(() => open(call('waits')));
  await runs(4);
  const refused = await send(call('echo'));
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text).error.data).toEqual({ limit: 'inFlight', value: 4 });
  waiting[0]!.request.destroy();
  await counted({ inFlight: 3 });
  expect((await send(call('echo'))).status).toBe(200);
  for (const { request } of waiting) request.destroy();
  await counted(zero);
});

test('2024-11-05: a repeated id does not release the admission of the first request', async () => {
  const stream = open({ method: 'GET', principal: 'ada' });
  const [first] = (await (await stream.response).iterator({ destroyOnReturn: false }).next()).value
    .toString()
    .match(/(?<=data: )\S+/);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } };
  expect((await send({ path: first, body, principal: 'ada' })).status).toBe(202);
  await runs(1);
  expect((await send({ path: first, body, principal: 'ada' })).status).toBe(400);
  expect((await send({ path: first, body: { ...body, id: 2 }, principal: 'ada' })).status).toBe(202);
  await runs(2);
  expect((await send({ path: first, body: { ...body, id: 3 }, principal: 'ada' })).status).toBe(429);
  stream.request.destroy();
});

test('requests per minute are limited by a quota', async () => {
  expect((await send(call('echo', 'grace'))).status).toBe(200);
  const refused = await send(call('echo', 'grace'));
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text).error.data).toEqual({ limit: 'requestsPerMinute', value: 1 });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

test('a subscription counts as a stream, not as a request in flight', async () => {
  const listen = modern('subscriptions/listen', { notifications: {} }, 'ada');
  const stream = await open(listen).response;
  await counted({ streams: 1, inFlight: 0 });
  expect((await send({ ...listen })).status).toBe(429);
  const other = await open(modern('subscriptions/listen', { notifications: {} })).response;
  const refused = await send(modern('subscriptions/listen', { notifications: {} }));
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text)).toMatchObject({ id: 1, error: { data: { limit: 'streams', value: 2 } } });
  stream.destroy();
  other.destroy();
  await counted(zero);
});

test('each URI of a subscription counts as waiting bytes, until the subscription ends', async () => {
  const listen = (count: number) =>
    modern('subscriptions/listen', { notifications: { resourceSubscriptions: Array(count).fill('a://') } });
  const refused = await send(listen(10));
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text).error.data).toEqual({ limit: 'waitingBytes', value: 5000 });
  await counted(zero);
  const stream = await open(listen(5)).response;
  await counted({ streams: 1, inFlight: 0 });
  expect(limits.counts.waitingBytes).toBeGreaterThan(5 * 512);
  stream.destroy();
  await counted(zero);
});

test('each subscription of a session counts as waiting bytes, until it is ended', async () => {
  const opened = await send(initialize);
  const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
  const about = async (method: string, uri: string) => {
    const body = { jsonrpc: '2.0', id: 2, method: `resources/${method}`, params: { uri } };
    return JSON.parse((await send({ body, headers })).text.replace(/^[^{]*/, ''));
  };
  for (const uri of ['a://1', 'a://2']) expect(await about('subscribe', uri)).toMatchObject({ result: {} });
  expect(await about('subscribe', 'a://3')).toMatchObject({ error: { code: -31001 } });
  await about('unsubscribe', 'a://1');
  expect(await about('subscribe', 'a://3')).toMatchObject({ result: {} });
  await send({ method: 'DELETE', headers });
  await counted(zero);
});

test.each([false, true])('bodies are counted as they arrive (chunked: %s)', async (isChunked) => {
  const long = { text: 'x'.repeat(3000) };
  const refused = await send({ ...call('waits', 'ada', long), isChunked });
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text).error.data).toEqual({ limit: 'waitingBytes', value: 2000 });
  await counted(zero);
  const waiting = open({ ...call('waits', undefined, long), isChunked });
  await runs(1);
  expect((await send({ ...call('echo', undefined, long), isChunked })).status).toBe(503);
  waiting.request.destroy();
  await counted(zero);
  expect((await send({ ...call('echo', undefined, long), isChunked })).status).toBe(200);
});

test('a request of a session counts until it is answered, also if its connection is lost', async () => {
  const opened = await send({ ...initialize, principal: 'ada' });
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
  expect((await send({ ...initialize, principal: 'ada' })).status).toBe(429);
  const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'waits' } };
  const waiting = open({ body, headers: session, principal: 'ada' });
  await runs(1);
  waiting.request.destroy();
  await expect.poll(() => new Promise((resolve) => listener.getConnections((_, count) => resolve(count)))).toBe(0);
  expect(limits.counts).toMatchObject({ inFlight: 1, sessions: 1 });
  goOn();
  await counted({ inFlight: 0, sessions: 1, waitingBytes: 0 });
  expect((await send({ method: 'DELETE', headers: session, principal: 'ada' })).status).toBe(204);
  await counted(zero);
});

test('a request of a session that is cancelled ends without an answer', async () => {
  const opened = await send(initialize);
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
  const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'waits' } };
  const cancelled = send({ body, headers: session });
  await runs(1);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  expect((await send({ body: cancel, headers: session })).status).toBe(202);
  expect(await cancelled).toMatchObject({ status: 200, text: '' });
  await counted({ inFlight: 0 });
});

test('a client that disconnects during authentication holds no resources', async () => {
  const checked = { 'x-checked': 'slowly' };
  const handled = vi.spyOn(gateway, 'handle');
  const session = (await send(initialize)).headers['mcp-session-id'] as string;
  const stream = { method: 'GET', headers: { ...checked, 'mcp-session-id': session } };
  const { headers, body } = call('waits');
  for (const sent of [stream, { body, headers: { ...headers, ...checked } }, { ...initialize, headers: checked }]) {
    const before = handled.mock.calls.length;
    const { request } = open(sent);
    request.on('finish', () => request.destroy());
    await expect.poll(() => handled.mock.calls.length, { timeout: 20_000 }).toBe(before + 1);
  }
  await counted({ ...zero, sessions: 1 });
  expect(running).toBe(0);
  await send({ method: 'DELETE', headers: { 'mcp-session-id': session } });
  await counted(zero);
});

test('stored facts of a client and its subscriptions count until the session ends', async () => {
  const described = (name: string): Sent => {
    const { params, ...rest } = initialize.body as { params: object };
    return { body: { ...rest, params: { ...params, clientInfo: { name, version: '1' } } } };
  };
  const opened = await send(described('x'.repeat(4200)));
  await expect.poll(() => limits.counts.waitingBytes, { timeout: 20_000 }).toBeGreaterThan(200);
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
  const subscribe = (method: string, uri: string): Sent => ({
    headers: session,
    body: { jsonrpc: '2.0', id: 2, method: `resources/${method}`, params: { uri } },
  });
  const uris = ['a', 'b'].map((scheme) => `${scheme}://${'x'.repeat(100)}`);
  expect((await send(subscribe('subscribe', uris[0]!))).text).toContain('"result"');
  expect((await send(subscribe('subscribe', uris[1]!))).text).toContain('bytes of requests and unread answers');
  expect((await send(subscribe('unsubscribe', uris[0]!))).text).toContain('"result"');
  expect((await send(subscribe('subscribe', uris[1]!))).text).toContain('"result"');
  await send({ method: 'DELETE', headers: session });
  await counted(zero);
});
