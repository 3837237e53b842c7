// A server over HTTP, used by the official clients of each era.

import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { isModernRevision, revisionsOfMcp } from '../../src/mcp/revisions.ts';
import { Server } from '../../src/mcp/server/server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving() {
  const server = new Server({ name: 'http-test', version: '1.0.0' });
  server.tool('echo', {}, (args) => JSON.stringify(args));
  server.tool('counts', {}, async (_, call) => {
    for (let step = 1; step <= 3; step++) call.progress(step, 3, `step ${step}`);
    return 'counted';
  });
  server.tool('asks', {}, async (_, call) => {
    const answer = await call.elicit({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return JSON.stringify(answer);
  });
  const http = await serveHttp(server);
  closing.push(() => http.close());
  return http;
}

const overHttp = revisionsOfMcp.filter((revision) => revision > '2025-03-26');

test.each(overHttp)('the official client calls tools, gets progress and answers questions, in %s', async (revision) => {
  const { url, token } = await serving();
  const client = new OfficialClient(
    { name: 'official', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      ...(isModernRevision(revision)
        ? { versionNegotiation: { mode: 'auto' } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  closing.push(() => client.close());
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'counts', 'asks']);
  const progress: unknown[] = [];
  const counted = await client.callTool({ name: 'counts' }, { onprogress: (step) => progress.push(step) });
  expect(counted.content).toEqual([{ type: 'text', text: 'counted' }]);
  expect(progress).toHaveLength(3);
  expect(await client.callTool({ name: 'asks' })).toMatchObject({
    content: [{ text: '{"action":"accept","content":{"name":"Ada"}}' }],
  });
});

test.each([
  ['Streamable HTTP', EarlierTransport],
  ['HTTP+SSE', SSEClientTransport],
] as const)('the official client uses sessions over %s', async (_, Transport) => {
  const { url, token } = await serving();
  const client = new EarlierClient({ name: 'earlier', version: '1' }, { capabilities: { elicitation: {} } });
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'Ada' } }));
  const headers = { authorization: `Bearer ${token}` };
  const transport = new Transport(new URL(url), { requestInit: { headers } });
  closing.push(() => client.close());
  await client.connect(transport as never);
  expect(await client.callTool({ name: 'asks', arguments: {} })).toMatchObject({
    content: [{ text: '{"action":"accept","content":{"name":"Ada"}}' }],
  });
});
