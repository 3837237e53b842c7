// A session whose client loses the stream of messages that are unrelated to a request, and resumes it.

import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { HttpGateway } from '../../src/host/gateway/http/http-gateway.ts';
import { Limits } from '../../src/host/gateway/limits.ts';
import { Server } from '../../src/mcp/server/server.ts';

const server = new Server({ name: 'news', version: '1.0.0' });
const days = ['today', 'tomorrow', 'later'];
for (const name of days) server.resource(`news://${name}`, { name }, () => 'none');
const limits = new Limits();
const gateway = new HttpGateway(server.service, {}, limits);
const listener = createServer((request, response) => gateway.handle(new NodeExchange(request, response)));
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  await gateway.close();
  listener.closeAllConnections();
  listener.close();
});

async function post(method: string, params: object, session: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: method, method, params }),
  });
  expect(await response.text()).toContain('"result"');
  return { 'mcp-session-id': response.headers.get('mcp-session-id')! };
}

async function end(session: Record<string, string>) {
  await fetch(url, { method: 'DELETE', headers: session });
  await expect.poll(() => limits.counts.streams, { timeout: 20_000 }).toBe(0);
}

async function open(session: Record<string, string>, signal?: AbortSignal) {
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...session }, signal });
  expect(response.status).toBe(200);
  const decoder = new TextDecoderStream();
  const reader = response.body!.pipeThrough(decoder).getReader();
  let text = '';
  return async (count: number) => {
    while (text.split('\n\n').length <= count) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream ended after ${text}`);
      text += value;
    }
    return text.split('\n\n', count).map((event) => ({ id: /^id: (.*)$/m.exec(event)?.[1], text: event }));
  };
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

test('messages sent while the stream of a session is lost are delivered in order when its client reconnects', async () => {
  const session = await post('initialize', initialize);
  for (const day of days) await post('resources/subscribe', { uri: `news://${day}` }, session);
  const connection = new AbortController();
  const events = await open(session, connection.signal);
  server.resourceUpdated('news://today');
  const seen = await events(2);
  connection.abort();
  await expect.poll(() => limits.counts.streams, { timeout: 20_000 }).toBe(0);
  server.resourceUpdated('news://tomorrow');
  const resumed = await open({ ...session, 'last-event-id': seen[1]!.id! });
  server.resourceUpdated('news://later');
  const missed = await resumed(2);
  expect(missed.map(({ text }) => /news:..(\w+)/.exec(text)?.[1])).toEqual(['tomorrow', 'later']);
  expect(missed.map(({ id }) => id)).toEqual(['0-3', '0-4']);
  // Resuming again ends the stream that is open.
  await open({ ...session, 'last-event-id': missed[1]!.id! });
  await expect.poll(() => limits.counts.streams, { timeout: 20_000 }).toBe(1);
  await end(session);
});

test('a client that lost an unread stream gets later messages on the next one', async () => {
  const session = await post('initialize', initialize);
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session };
  expect(await fetch(url, { method: 'POST', headers, body })).toMatchObject({ status: 202 });
  const unread = get(url, { headers: { accept: 'text/event-stream', ...session } });
  const response = await new Promise<IncomingMessage>((resolve) => unread.on('response', resolve));
  while (limits.counts.waitingBytes < 1024 * 1024) {
    server.log('info', 'x'.repeat(100_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.log('info', 'dropped');
  response.destroy();
  await expect.poll(() => limits.counts.streams, { timeout: 20_000 }).toBe(0);
  const events = await open(session);
  server.log('info', 'the news');
  const seen = (await events(3)).map(({ text }) => text).join();
  expect(seen).toContain('notifications were not sent');
  expect(seen).toContain('the news');
  await end(session);
});
