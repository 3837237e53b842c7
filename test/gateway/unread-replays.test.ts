// A client that resumes a stream repeatedly without reading it: pending data is counted, refused above its quota, and dropped with the
// stream that a newer one replaces.

import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { HttpGateway } from '../../src/host/gateway/http/http-gateway.ts';
import { Limits } from '../../src/host/gateway/limits.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { lacks } from '../fixtures/windows.ts';

const CHARS = 8_000_000; // more than the buffers of a connection hold

interface Options {
  maxKeptChars?: number;
  quotas?: { waitingBytes: number };
}

/** Creates a session whose client lost the connection of a call before its answer, which has `CHARS` characters. */
async function lostAnswer({ maxKeptChars = 2 * CHARS, quotas }: Options = {}) {
  const server = new Server({ name: 'long', version: '1.0.0' });
  let answer!: () => void;
  const lost = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.tool('long', {}, async (_, call) => {
    call.progress(1);
    await lost;
    return 'x'.repeat(CHARS);
  });
  const limits = new Limits();
  let resumed = 0;
  const gateway = new HttpGateway(server.service, { maxKeptChars }, limits);
  const listener = createServer((request, response) => {
    const exchange = new NodeExchange(request, response);
    exchange.principal = { name: 'mallory', quotas };
    gateway.handle(exchange);
    if (request.method === 'GET') resumed++;
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await gateway.close();
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (id: number, method: string, params: object, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }), signal });
  const clientInfo = { name: 'raw', version: '1' };
  const opened = await post(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id')!;
  await opened.text();
  const connection = new AbortController();
  const called = await post(2, 'tools/call', { name: 'long', _meta: { progressToken: 1 } }, connection.signal);
  const first = await called.body!.getReader().read();
  const lastEventId = /^id: (.*)$/m.exec(new TextDecoder().decode(first.value))![1]!;
  connection.abort();
  const kept = limits.kept.chars;
  answer();
  await expect.poll(() => limits.kept.chars, { timeout: 60_000 }).toBeGreaterThan(kept);
  const resume = () => fetch(url, { headers: { ...headers, 'last-event-id': lastEventId } });
  const resumeUnread = async () => {
    const before = resumed;
    const lines = Object.entries({ ...headers, host: 'localhost', 'last-event-id': lastEventId });
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(`GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => resumed, { timeout: 60_000 }).toBe(before + 1);
    return socket;
  };
  return { limits, resume, resumeUnread };
}

test.skipIf(lacks.boundedSocketBuffers)('counts unread replays, and drops those of a replaced stream', async () => {
  const { limits, resumeUnread } = await lostAnswer();
  let last: Socket | undefined;
  for (let count = 0; count < 4; count++) {
    last = await resumeUnread();
    await expect.poll(() => limits.counts.waitingBytes, { timeout: 60_000 }).toBeGreaterThan(CHARS / 4);
    await expect.poll(() => limits.counts.streams, { timeout: 60_000 }).toBe(1);
    expect(limits.counts.waitingBytes).toBeLessThan(2 * CHARS);
  }
  last!.destroy();
  await expect.poll(() => limits.counts.waitingBytes, { timeout: 60_000 }).toBe(0);
});

test('refuses a replay above the quota of the principal, and keeps the events available', async () => {
  const { limits, resume } = await lostAnswer({ quotas: { waitingBytes: CHARS / 2 } });
  for (let count = 0; count < 2; count++) {
    const refused = await resume();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await refused.text()).toContain('bytes of requests and unread answers');
  }
  expect(limits.kept.chars).toBeGreaterThan(CHARS);
});

test('a reconnecting client gets an error for an answer that was too long to keep', async () => {
  const { limits, resume } = await lostAnswer({ maxKeptChars: 10_000 });
  expect(limits.kept.chars).toBeLessThan(10_000);
  const text = await (await resume()).text();
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
  expect(events.at(-1)).toMatchObject({
    id: 2,
    error: { code: -32603, message: expect.stringContaining('10000 are kept (maxKeptChars)') },
  });
});
