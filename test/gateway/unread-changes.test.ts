// Clients that subscribe and do not read: the number of their pending notifications is bounded, they get each change when they read again,
// and clients of other principals are served.

import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { HttpGateway } from '../../src/host/gateway/http/http-gateway.ts';
import { type LimitOptions, Limits } from '../../src/host/gateway/limits.ts';
import { Server } from '../../src/mcp/server/server.ts';
import type { Service } from '../../src/mcp/service.ts';
import { LOG_METHOD, UPDATED_METHOD, Watchers } from '../../src/mcp/watchers.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';

const LONG = 'x'.repeat(100_000);
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

async function gateway(options: LimitOptions = {}) {
  const server = new Server({ name: 'news', version: '1.0.0' });
  server.resource('news://today', { name: 'today' }, () => 'none');
  server.tool('echo', {}, () => 'here');
  const { service } = server;
  const watchers = new Watchers((error) => {
    throw error;
  });
  const updating: Service = {
    describe: () => service.describe(),
    request: (method, params, caller) => service.request(method, params, caller),
    notify: (method, params, client) => service.notify(method, params, client),
    watch: async (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
  const limits = new Limits(options);
  const gateway = new HttpGateway(updating, { keepAliveMs: 100 }, limits);
  const listener = createServer((request, response) => {
    const exchange = new NodeExchange(request, response);
    const name = request.headers['x-principal'];
    exchange.principal = typeof name === 'string' ? { name } : undefined;
    gateway.handle(exchange);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await gateway.close();
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  return { watchers, limits, port, url: `http://127.0.0.1:${port}/` };
}

async function post(url: string, headers: Record<string, string>, method: string, params: object, id?: string) {
  const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params });
  const response = await fetch(url, { method: 'POST', headers: { ...accept, ...headers }, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Creates a session that has subscribed to `news://today`, and returns its headers. */
async function subscribed(url: string, principal: string) {
  const { headers } = await post(url, { 'x-principal': principal }, 'initialize', initialize, '1');
  const session = { 'x-principal': principal, 'mcp-session-id': headers.get('mcp-session-id')! };
  await post(url, session, 'notifications/initialized', {});
  const answer = await post(url, session, 'resources/subscribe', { uri: 'news://today' }, '2');
  expect(answer.text).toContain('"result"');
  return session;
}

/** Opens `subscriptions/listen` on a connection that is not read until `resume`. */
async function listening(port: number, limits: Limits, principal: string): Promise<Socket> {
  const before = limits.counts.streams;
  const notifications = { resourceSubscriptions: ['news://today'] };
  const params = { notifications, _meta: modernMeta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params });
  const headers = {
    ...modernHeaders('subscriptions/listen'),
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'x-principal': principal,
    'content-length': String(body.length),
  };
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST / HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  await expect.poll(() => limits.counts.streams, { timeout: 60_000 }).toBe(before + 1);
  return socket;
}

function update(watchers: Watchers, part: string) {
  watchers.notify(UPDATED_METHOD, { uri: `news://today/${part}` });
}

/** Sends updates of parts of the resource, each with its own URI, until `isEnough`. */
async function updates(watchers: Watchers, isEnough: (sent: number) => boolean) {
  for (let sent = 0; !isEnough(sent); sent++) {
    update(watchers, `${sent}/${LONG}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a session without a stream keeps a bounded number of updates, and gets one update for the rest', async () => {
  const { watchers, limits, url } = await gateway();
  const session = await subscribed(url, 'ada');
  await updates(watchers, (sent) => sent === 100);
  expect(limits.kept.unsentChars).toBeLessThanOrEqual(1024 * 1024);
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...session } });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error('The stream ended');
    return value;
  };
  let text = '';
  while (!text.includes('"uri":"news://today"')) text += await next();
  expect(text.match(/resources\/updated/g)?.length).toBeLessThanOrEqual(11);
  update(watchers, 'last');
  while (!text.includes('"uri":"news://today/last"')) text += await next();
  await reader.cancel();
});

test('a client without a stream is served after more log messages than are kept for it', async () => {
  const { watchers, limits, url } = await gateway();
  const session = await subscribed(url, 'ada');
  for (let sent = 0; sent < 100; sent++) watchers.notify(LOG_METHOD, { level: 'error', data: LONG });
  expect(limits.kept.unsentChars).toBeLessThanOrEqual(1024 * 1024);
  const answer = await post(url, session, 'tools/call', { name: 'echo' }, '3');
  expect(answer.text).toContain('here');
});

test('a subscriber that does not read has a bounded number of pending updates, and gets one update for the rest', async () => {
  const { watchers, limits, port } = await gateway();
  const socket = await listening(port, limits, 'ada');
  await updates(watchers, () => limits.counts.waitingBytes > 1024 * 1024);
  const { waitingBytes } = limits.counts;
  await updates(watchers, (sent) => sent === 100);
  expect(limits.counts.waitingBytes).toBe(waitingBytes);
  let text = '';
  socket.on('data', (chunk) => {
    text = (text + chunk).slice(-150_000);
  });
  socket.resume();
  await expect.poll(() => text.includes('"uri":"news://today"'), { timeout: 60_000 }).toBe(true);
  update(watchers, 'last');
  await expect.poll(() => text.includes('"uri":"news://today/last"'), { timeout: 60_000 }).toBe(true);
});

test('unread notifications of one principal do not exhaust the limit of all', async () => {
  const maxWaitingBytes = 4 * 1024 * 1024;
  const { watchers, limits, port, url } = await gateway({ maxWaitingBytes });
  const sockets: Socket[] = [];
  for (let opened = 0; opened < 8; opened++) sockets.push(await listening(port, limits, 'mallory'));
  const half = maxWaitingBytes / 2;
  await updates(watchers, () => limits.counts.waitingBytes > half);
  const session = await subscribed(url, 'ada');
  await updates(watchers, (sent) => sent === 100);
  expect(limits.counts.waitingBytes).toBeLessThan(half + 200_000);
  const answer = await post(url, session, 'tools/call', { name: 'echo', arguments: { LONG } }, '3');
  expect(answer.text).toContain('here');
  let told = 0;
  for (const socket of sockets) {
    let text = '';
    socket.on('data', (chunk) => {
      const before = text.includes('"uri":"news://today"');
      text = (text + chunk).slice(-150_000);
      if (!before && text.includes('"uri":"news://today"')) told++;
    });
    socket.resume();
  }
  await expect.poll(() => told, { timeout: 60_000 }).toBe(sockets.length);
});
