// Our client against official servers over HTTP, and official clients over our transport.

import type { IncomingMessage } from 'node:http';
import { Client as OfficialClient } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { HttpClientTransport } from '../../src/wire/transport/http/http-client.ts';
import { official1, official2, officialSse, type Serving } from './official-servers.ts';
import { type Exchange, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function served(open: () => Promise<Serving>): Promise<string> {
  const serving = await open();
  closing.push(serving.close);
  return serving.url;
}

async function ours(): Promise<Serving> {
  const server = new Server({ name: 'ours', version: '1' });
  server.tool('echo', {}, ({ text }) => String(text));
  server.tool('counts', {}, (_, call) => {
    for (let step = 1; step <= 3; step++) call.progress(step);
    return 'counted';
  });
  server.tool('asks', {}, async (_, call) => {
    const { content } = (await call.elicit({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    })) as { content?: unknown };
    return JSON.stringify(content);
  });
  return serveHttp(server, { token: false });
}

const accept = { action: 'accept' as const, content: { name: 'Ada' } };

test.each([
  ['1.x', official1, 'auto', '2025-11-25'],
  ['1.x over HTTP+SSE, found', officialSse, 'auto', '2025-11-25'],
  ['1.x over HTTP+SSE, given', officialSse, 'sse', '2025-11-25'],
] as const)('our client uses the official server: %s', async (_, open, transport, revision) => {
  const url = await served(open);
  const client = await connect({ url, transport, auth: false }, { elicit: () => accept });
  closing.push(() => client.close());
  expect(client.server.revision).toBe(revision);
  expect(await client.callTool('echo', { text: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });
  const steps: number[] = [];
  await client.callTool('counts', {}, { onProgress: ({ progress }) => steps.push(progress) });
  expect(steps).toEqual([1, 2, 3]);
  expect(await client.callTool('asks')).toMatchObject({ content: [{ text: '{"name":"Ada"}' }] });
  const changed = new Promise<void>((resolve) => client.onListChanged('tools', resolve));
  await client.callTool('adds');
  await changed;
});

test('a call whose stream is cut gets its answer from the official server on another stream', async () => {
  let call: IncomingMessage | undefined;
  let go: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const seen = (request: IncomingMessage) => {
    if (request.headers['last-event-id'] !== undefined) go!();
    else if (request.method === 'POST') call = request;
  };
  const url = await served(() => official1(seen, gone));
  const client = await connect({ url, auth: false }, { revision: '2025-11-25' });
  closing.push(() => client.close());
  const waiting = client.callTool('waits', {}, { onProgress: () => call!.socket.destroy() });
  expect(await waiting).toMatchObject({ content: [{ text: 'after the cut' }] });
});

test.each(['2025-11-25', '2026-07-28'] as const)('our client uses the official server: 2.x in %s', async (revision) => {
  const client = await connect({ url: await served(official2), auth: false }, { revision });
  closing.push(() => client.close());
  expect(await client.callTool('echo', { text: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });
});

function transportTo(url: string, kind?: 'sse'): HttpClientTransport {
  return new HttpClientTransport({ url, transport: kind });
}

test.each([
  ['ours', ours, undefined],
  ['the official one', official1, undefined],
  ['one over HTTP+SSE', officialSse, 'sse'],
] as const)('the official client of 1.x uses our transport with %s', async (_, open, kind) => {
  const client = new EarlierClient({ name: 'c', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, () => accept);
  const transport = transportTo(await served(open), kind);
  closing.push(() => client.close());
  await client.connect(transport);
  expect(transport.sessionId === undefined).toBe(kind === 'sse');
  const steps: number[] = [];
  await client.callTool({ name: 'counts' }, undefined, { onprogress: ({ progress }) => steps.push(progress) });
  expect(steps).toEqual([1, 2, 3]);
  expect(await client.callTool({ name: 'asks' })).toMatchObject({ content: [{ text: '{"name":"Ada"}' }] });
});

test.each([
  ['ours', ours, 'auto'],
  ['ours', ours, 'legacy'],
  ['the official one', official2, 'auto'],
] as const)('the official client of 2.x uses our transport with %s (%s)', async (_, open, mode) => {
  const client = new OfficialClient(
    { name: 'c', version: '1' },
    mode === 'auto' ? { versionNegotiation: { mode } } : { supportedProtocolVersions: ['2025-11-25'] },
  );
  closing.push(() => client.close());
  await client.connect(transportTo(await served(open)));
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  expect(await client.callTool({ name: 'echo', arguments: { text: 'hello' } })).toMatchObject({
    content: [{ text: 'hello' }],
  });
});

test('with an official client, a failure rejects the call, and no call waits forever', async () => {
  const failures: ((exchange: Exchange) => void)[] = [
    ({ request }) => void request.socket.destroy(),
    ({ response }) => void response.writeHead(500).end(),
    ({ stream, response }) => {
      stream();
      response.end();
    },
    ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  ];
  const server = await scripted({ 'tools/call': (exchange) => failures.shift()!(exchange) });
  closing.push(server.close);
  const client = new EarlierClient({ name: 'c', version: '1' });
  closing.push(() => client.close());
  await client.connect(transportTo(server.url));
  for (const code of ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'MESSAGE_INVALID']) {
    await expect(client.callTool({ name: 'run' })).rejects.toMatchObject({ code });
  }
  await server.close();
  await expect(client.callTool({ name: 'run' })).rejects.toThrow();
  await client.close();
  await expect(client.callTool({ name: 'run' })).rejects.toThrow();
});
