// HTTP+SSE of 2024-11-05: detected if a server refuses POST, and only at the origin of the address.

import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { answerEvent, type Exchange, type Script, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Answers arrive on the stream; messages are posted to the endpoint. */
function sse(endpoint: string, script: Script = {}): Script {
  let stream: Exchange;
  const onStream = (result: (exchange: Exchange) => string) => (exchange: Exchange) => {
    if (exchange.request.url === '/mcp') return void exchange.response.writeHead(405).end();
    exchange.response.writeHead(202).end('Accepted');
    stream.response.write(result(exchange));
  };
  return {
    get: (exchange) => {
      stream = exchange;
      exchange.stream(`event: endpoint\ndata: ${endpoint}\n\n`);
    },
    initialize: onStream(({ message }) => {
      const serverInfo = { name: 'old', version: '1' };
      const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
      return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`;
    }),
    'server/discover': ({ response }) => void response.writeHead(405).end(),
    'tools/call': onStream(({ message }) => answerEvent(message, 'old')),
    ...script,
  };
}

async function connected(script: Script, transport: 'auto' | 'http' | 'sse' = 'auto') {
  const server = await scripted(script);
  closing.push(server.close);
  const client = await connect({ url: server.url, transport, auth: false });
  closing.push(() => client.close());
  return { server, client };
}

test.each(['auto', 'sse'] as const)('posts messages to the endpoint that the server names (%s)', async (transport) => {
  const { client, server } = await connected(sse('/messages?session=1'), transport);
  expect(client.server.revision).toBe('2024-11-05');
  expect(await client.callTool('run')).toMatchObject({ content: [{ text: 'old' }] });
  const posted = server.seen.filter(({ what }) => what === 'initialize');
  expect(posted).toHaveLength(transport === 'auto' ? 2 : 1);
});

test('with `transport: "http"`, the refusal is the error', async () => {
  await expect(connected(sse('/messages'), 'http')).rejects.toMatchObject({ message: expect.stringContaining('405') });
});

test.each(['auto', 'sse'] as const)('sends nothing to an endpoint of another origin (%s)', async (transport) => {
  const other = await scripted({});
  closing.push(other.close);
  await expect(connected(sse(other.url), transport)).rejects.toThrow(
    transport === 'sse' ? 'an endpoint of another origin' : '405',
  );
  expect(other.seen).toEqual([]);
});

test('the connection ends with its stream, and calls that were sent may have run', async () => {
  let stop: (() => void) | undefined;
  const script = sse('/messages', {
    'tools/call': ({ response }) => {
      response.writeHead(202).end();
      stop!();
    },
  });
  const get = script.get!;
  const { client } = await connected({
    ...script,
    get: (exchange) => {
      stop = () => void exchange.response.end();
      get(exchange);
    },
  });
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(await client.closed).toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('a message that the endpoint refuses did not run, and other calls continue', async () => {
  const { client } = await connected(
    sse('/messages', {
      'tools/call': ({ response, message }) => {
        if (message.params?.name === 'refused') return void response.writeHead(413).end();
        response.writeHead(202).end();
      },
    }),
  );
  const waiting = client.callTool('waits').catch((error) => error);
  await expect(client.callTool('refused')).rejects.toMatchObject({ code: 'NOT_SENT' });
  await client.close();
  expect(await waiting).toMatchObject({ code: 'CONNECTION_CLOSED' });
});
