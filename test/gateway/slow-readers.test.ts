// Clients that do not read: the data that is pending for them is bounded, and other clients are served.

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { Gateways } from '../../src/host/gateway/http/gateways.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

test('pending progress for a client that does not read is bounded', async () => {
  const server = new Server({ name: 'slow', version: '1.0.0' });
  const message = 'x'.repeat(10_000);
  let sent = 0;
  let goOn!: () => void;
  const flooded = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  server.tool('floods', {}, async (_, call) => {
    // Yields regularly, so that the gateway can write.
    for (sent = 1; sent <= 20_000; sent++) {
      call.progress(sent, undefined, message);
      if (sent % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    goOn();
    return 'done';
  });
  server.tool('echo', {}, () => 'here');
  const { url, close } = await serveHttp(server, { token: false });
  const { hostname, port, pathname, host } = new URL(url);
  const _meta = {
    progressToken: 1,
    ...modernMeta,
  };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'content-type': 'application/json',
  };
  const body = (name: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta } });
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({
    ...headers,
    'mcp-name': 'floods',
    host,
    'content-length': String(body('floods').length),
  });
  socket.write(
    `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body('floods')}`,
  );
  socket.pause();
  await flooded;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'mcp-name': 'echo' },
    body: body('echo'),
  });
  expect(JSON.stringify(await response.json())).toContain('here');
  let text = '';
  let received = 0;
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
      text = (text + chunk).slice(-1000);
      if (text.includes('"done"')) resolve();
    });
  });
  socket.resume();
  await answered;
  // The tool reported 200 MB. The client gets what the buffers and the limit hold, and the newest progress.
  expect(received).toBeLessThan(50_000_000);
  socket.destroy();
  await close();
});

test('pending data for many clients that do not read is bounded in total', async () => {
  const clients = 4;
  const limit = 200_000;
  const message = 'x'.repeat(10_000);
  const server = new Server({ name: 'slow', version: '1.0.0' });
  let ended = 0;
  server.tool('floods', {}, async (_, call) => {
    // The data exceeds the buffers of a connection.
    for (let sent = 1; sent <= 2000; sent++) {
      call.progress(sent, undefined, message);
      if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    ended++;
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    return 'done';
  });
  const gateways = new Gateways(() => server.service, { path: '/mcp', maxWaitingBytes: limit });
  const listener = createServer((request, response) => {
    const exchange = new NodeExchange(request, response);
    gateways.at(exchange.path)!.handle(exchange);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const _meta = {
    progressToken: 1,
    ...modernMeta,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'floods', _meta } });
  const head = [
    'POST /mcp HTTP/1.1',
    'host: here',
    'content-type: application/json',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: floods',
    `content-length: ${body.length}`,
  ];
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return socket;
  });
  await expect.poll(() => ended, { timeout: 60_000 }).toBe(clients);
  const { waitingBytes } = gateways.limits.counts;
  expect(waitingBytes).toBeGreaterThan(0);
  // Each client may exceed the total limit by its reserved share and one message.
  expect(waitingBytes).toBeLessThan(limit + clients * (16 * 1024 + 2 * message.length));
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => gateways.limits.counts.waitingBytes, { timeout: 20_000 }).toBe(0);
  await gateways.close();
  listener.closeAllConnections();
  listener.close();
});
