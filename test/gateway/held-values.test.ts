// Bodies whose objects use many times the memory of their text: limits count that memory.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { HttpGateway } from '../../src/host/gateway/http/http-gateway.ts';
import { Limits } from '../../src/host/gateway/limits.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

const objects = (count: number) => Array.from({ length: count }, () => ({}));
const OBJECTS = 20_000; // 60 KB of text

async function openGateway(maxWaitingBytes?: number) {
  const server = new Server({ name: 'held', version: '1.0.0' });
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.tool('waits', {}, async () => {
    await answered;
    return 'here';
  });
  const limits = new Limits(maxWaitingBytes === undefined ? {} : { maxWaitingBytes });
  const gateway = new HttpGateway(server.service, {}, limits);
  const listener = createServer((request, response) => gateway.handle(new NodeExchange(request, response)));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    answer();
    await gateway.close();
    listener.closeAllConnections();
    listener.close();
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
  const post = (method: string, params: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const call = (count: number) =>
    post(
      'tools/call',
      { name: 'waits', arguments: { z: objects(count) }, _meta: modernMeta },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'waits' },
    );
  const initialize = (count: number) =>
    post('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { z: objects(count) } },
      clientInfo: { name: 'raw', version: '1' },
    });
  return { limits, answer, call, initialize };
}

test('a request counts with the memory of its objects until it is answered', async () => {
  const { limits, answer, call } = await openGateway();
  const response = call(OBJECTS);
  await expect.poll(() => limits.counts.waitingBytes, { timeout: 60_000 }).toBeGreaterThan(OBJECTS * 128);
  answer();
  expect(await (await response).text()).toContain('here');
  await expect.poll(() => limits.counts.waitingBytes, { timeout: 60_000 }).toBe(0);
});

test('a request whose objects exceed the remaining limit is refused', async () => {
  const { limits, call } = await openGateway(OBJECTS * 128);
  const response = await call(OBJECTS);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ id: 1, error: { data: { limit: 'waitingBytes' } } });
  await expect.poll(() => limits.counts.waitingBytes, { timeout: 60_000 }).toBe(0);
});

test('a session counts with the size of its client description', async () => {
  const { limits, initialize } = await openGateway();
  expect(await (await initialize(OBJECTS)).text()).toContain('"result"');
  await expect.poll(() => limits.counts.inFlight, { timeout: 60_000 }).toBe(0);
  expect(limits.counts.waitingBytes).toBeGreaterThan(OBJECTS * 128);
});

test('a body of more than 250,000 values is refused unless the gateway allows more', async () => {
  const { call } = await openGateway();
  const response = await call(130_000);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('more than 250000 JSON values (maxFrameValues)');
});
