// Our server on the official HTTP transport, which has a stream for each request: messages that belong to a request are
// sent on its stream.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { expect, test } from 'vitest';
import { Server } from '../../src/mcp/server/server.ts';
import type { Channel } from '../../src/wire/jsonrpc/channel.ts';

type Message = { id?: unknown; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> };

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      if (data) yield JSON.parse(data);
    }
  }
}

test('sends progress, log messages and questions on the stream of their request', async () => {
  const server = new Server({ name: 'streams', version: '1.0.0' });
  server.tool('ask', {}, async (_args, call) => {
    call.progress(1);
    call.log('error', 'asks now');
    return { roots: await call.roots() };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'session' });
  const connection = await server.connect(transport as unknown as Channel);
  const post = (message: object) =>
    transport.handleRequest(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': 'session',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    );
  const clientInfo = { name: 'raw', version: '1' };
  const opening = await post({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo },
  });
  for await (const { result } of messagesOf(opening)) expect(result).toMatchObject({ protocolVersion: '2025-11-25' });
  const call = await post({ id: 1, method: 'tools/call', params: { name: 'ask', _meta: { progressToken: 'p' } } });
  const seen: unknown[] = [];
  for await (const { id, method, result } of messagesOf(call)) {
    seen.push(method ?? result);
    if (method === 'roots/list') await post({ id, result: { roots: [] } });
  }
  expect(seen).toMatchObject([
    'notifications/progress',
    'notifications/message',
    'roots/list',
    { structuredContent: { roots: [] } },
  ]);
  await connection.close();
});
