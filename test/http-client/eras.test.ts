// The requests that detect the era of a server over HTTP: real servers of each kind, and servers that refuse the era
// probe in various ways.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { BoundedEraMemory } from '../../src/mcp/client/opening/era-memory.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { adapterOf, type ClientAdapter } from '../fixtures/http-client/adapter.ts';
import { later } from '../fixtures/later.ts';

const info = { name: 'echoes', version: '1.0.0' };
const text = (given: string) => ({ content: [{ type: 'text' as const, text: given }] });

async function listen(handler: RequestListener, path: string): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  later(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
}

function official1(): McpServer1 {
  const server = new McpServer1(info);
  server.registerTool('echo', {}, () => text('echoed'));
  // The question is sent on the stream of the session, not on that of the call.
  server.registerTool('asks', {}, async () => {
    const asked = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } } as const;
    return text((await server.server.elicitInput(asked)).action);
  });
  return server;
}

/** 2025-11-25, with sessions. */
function serveOfficial1(): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return listen(async (request, response) => {
    let transport = sessions.get(String(request.headers['mcp-session-id']));
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, opened),
      });
      await official1().connect(opened as never);
      transport = opened;
    }
    await transport.handleRequest(request, response);
  }, '/mcp');
}

/** HTTP+SSE of 2024-11-05. */
function serveOfficialSse(): Promise<string> {
  const sessions = new Map<string, SSEServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, 'http://127.0.0.1');
    if (url.pathname === '/messages') {
      return sessions.get(url.searchParams.get('sessionId')!)!.handlePostMessage(request, response);
    }
    if (request.method !== 'GET') return void response.writeHead(405).end('Use GET');
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await official1().connect(transport as never);
  };
  return listen((request, response) => void handle(request, response), '/sse');
}

function serveOfficial2(): Promise<string> {
  const build = () => {
    const server = new McpServer2(info);
    server.registerTool('echo', {}, () => text('echoed'));
    return server;
  };
  return listen(toNodeHandler(createMcpHandler(build)), '/mcp');
}

async function serveOurs(): Promise<string> {
  const server = new Server(info);
  server.tool('echo', {}, () => 'echoed');
  const serving = await serveHttp(server, { token: false });
  later(() => serving.close());
  return String(serving.url);
}

const opening = ['initialize', 'notifications/initialized'];

async function connected(adapter: ClientAdapter, eraMemory = new BoundedEraMemory()) {
  const before = adapter.steps.length;
  // Long, so that a busy machine does not look like a silent server.
  const client = await connect({ url: adapter.url }, { eraMemory, probeTimeoutMs: 60_000 });
  later(() => client.close());
  expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'echoed' }]);
  const asked = adapter.steps.slice(before).filter((step) => !['tools/call', 'GET', 'DELETE'].includes(step));
  return { client, asked };
}

test.each([
  ['our server', serveOurs, '2026-07-28'],
  ['the official 2.x server', serveOfficial2, '2026-07-28'],
  ['the official 1.x server', serveOfficial1, '2025-11-25'],
])('%s is probed once for its era, and not at all the next time', async (_, serve, revision) => {
  const adapter = await adapterOf(await serve());
  const memory = new BoundedEraMemory();
  const isModern = revision === '2026-07-28';
  const first = await connected(adapter, memory);
  expect(first.client.server.revision).toBe(revision);
  expect(first.asked).toEqual(['server/discover', ...(isModern ? [] : opening)]);
  const second = await connected(adapter, memory);
  expect(second.asked).toEqual(isModern ? ['server/discover'] : opening);
});

test('a server with HTTP+SSE refuses both probes, and is used over its stream', async () => {
  const client = await connect({ url: await serveOfficialSse() }, { eraMemory: new BoundedEraMemory() });
  later(() => client.close());
  expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'echoed' }]);
});

test('a question during the first call of a session arrives, because its stream is opened before', async () => {
  const url = await serveOfficial1();
  const client = await connect({ url }, { era: 'legacy', elicit: () => ({ action: 'decline' }) });
  later(() => client.close());
  expect((await client.callTool('asks')).content).toEqual([{ type: 'text', text: 'decline' }]);
});

const json = { 'content-type': 'application/json' };
const error = (code: number, id?: unknown) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
type Refuse = (response: ServerResponse) => unknown;

test.each<[string, Refuse]>([
  ['400 without a body', (response) => response.writeHead(400).end()],
  ['400 with an error that has no id', (response) => response.writeHead(400, json).end(error(-32000, null))],
  ['404 and a page', (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>No</html>')],
  ['405', (response) => response.writeHead(405).end('Method Not Allowed')],
  ['500', (response) => response.writeHead(500).end('TypeError: method is not known')],
  ['200 and a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>')],
  ['a connection that is cut', (response) => response.destroy()],
])('a legacy server that answers the era probe with %s is used', async (_, refuse) => {
  const adapter = await adapterOf(await serveOfficial1());
  adapter.intercept = ({ method }, response) => {
    if (method === 'server/discover') refuse(response);
    return method === 'server/discover';
  };
  const { client, asked } = await connected(adapter);
  expect(client.server.era).toBe('legacy');
  expect(asked).toEqual(['server/discover', ...opening]);
});

test('a server that was upgraded is probed again after it refuses to open a session', async () => {
  const adapter = await adapterOf(await serveOurs());
  adapter.intercept = ({ method }, response) => {
    if (method !== 'initialize') return false;
    response.writeHead(404, json).end(error(-32601));
    return true;
  };
  const memory = new BoundedEraMemory();
  memory.set(adapter.url, 'legacy');
  const { client } = await connected(adapter, memory);
  expect(client.server.era).toBe('modern');
  expect(memory.get(adapter.url)).toBe('modern');
});

test.each([401, 429])('a server that refuses all requests with %s is not probed further', async (status) => {
  const adapter = await adapterOf(await serveOurs());
  adapter.intercept = (_, response) => {
    response.writeHead(status).end();
    return true;
  };
  const connecting = connect({ url: adapter.url, auth: false }, { eraMemory: new BoundedEraMemory() });
  await expect(connecting).rejects.toThrow(String(status));
  expect(adapter.steps).toEqual(['server/discover']);
});

test('an era probe without an answer does not block a legacy server', async () => {
  const adapter = await adapterOf(await serveOfficial1());
  let isClosed: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  adapter.intercept = ({ method }, response) => {
    if (method !== 'server/discover') return false;
    response.on('close', isClosed!);
    return true;
  };
  const client = await connect({ url: adapter.url }, { eraMemory: new BoundedEraMemory(), probeTimeoutMs: 1 });
  later(() => client.close());
  expect(client.server.era).toBe('legacy');
  await closed; // the probe is dropped
  expect(adapter.steps).not.toContain('notifications/cancelled');
});
