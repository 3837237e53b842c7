// Sessions of 2025-03-26 to 2025-11-25: their headers, their end by either side, and outcomes of calls.

import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connect } from '../../src/connect/connect.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { AskingTools } from '../../src/mcp/client/session/asking-tools.ts';
import { HttpClientTransport } from '../../src/wire/transport/http/http-client.ts';
import { until } from '../fixtures/server.ts';
import { type Script, SESSION, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function connected(script: Script, options: ClientOptions = {}) {
  const server = await scripted(script);
  closing.push(server.close);
  const client = await connect({ url: server.url, auth: false }, { revision: '2025-06-18', ...options });
  closing.push(() => client.close());
  return { server, client };
}

test('every request after initialize has the session and the revision, and the session ends with the client', async () => {
  const { client, server } = await connected({});
  await client.callTool('run');
  await client.close();
  const headers = server.seen.map(({ what, headers: each }) => [
    what,
    each['mcp-session-id'],
    each['mcp-protocol-version'],
  ]);
  expect(headers[0]).toEqual(['initialize', undefined, undefined]);
  expect(headers.slice(1).toSorted()).toEqual([
    ['delete', SESSION, '2025-06-18'],
    ['get', SESSION, '2025-06-18'],
    ['notifications/initialized', SESSION, '2025-06-18'],
    ['tools/call', SESSION, '2025-06-18'],
  ]);
  expect(server.seen.at(-1)!.what).toBe('delete');
});

const sessionGone = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID' } };

test.each<[string, Script[string]]>([
  ['404', ({ response }) => void response.writeHead(404).end()],
  [
    '404 with a body',
    ({ json }) => json({ ...sessionGone, error: { code: -32001, message: 'Session not found' } }, 404),
  ],
  ['400 that names the session', ({ json }) => json(sessionGone, 400)],
])(
  '%s ends the connection of a host, which connects again: the refused call did not run, and other pending calls may have run',
  async (_, refuse) => {
    const refusing: Script = {
      'tools/call': (exchange) => {
        if (exchange.message.params?.name === 'refused') refuse!(exchange);
      },
    };
    const { client, server } = await connected(refusing, { shared: { capabilities: {}, asking: new AskingTools() } });
    const underWay = client.callTool('under-way').catch((error) => error);
    await until('it has arrived', () => server.seen.some(({ what }) => what === 'tools/call'));
    await expect(client.callTool('refused')).rejects.toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('ended the session'),
    });
    expect(await underWay).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await client.closed).toMatchObject({ code: 'CONNECTION_CLOSED', message: 'The server ended the session' });
    await expect(client.callTool('later')).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(server.seen.map(({ what }) => what)).not.toContain('delete');
  },
);

test('a client closes even if the server does not end sessions or does not answer', async () => {
  const refusing = await connected({ delete: ({ response }) => void response.writeHead(405).end() });
  await refusing.client.close();
  const clock = new ManualClock();
  let isAsked = false;
  const server = await scripted({
    delete: () => {
      isAsked = true;
    },
  });
  closing.push(server.close);
  const transport = new HttpClientTransport({ url: server.url, clock });
  await transport.start();
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(transport.sessionId).toBe(SESSION);
  const closed = transport.close();
  await until('it is asked', () => isAsked);
  clock.advance(5_000);
  await closed;
  expect(clock.pending).toBe(0);
});

test('terminateSession ends the session and not the connection', async () => {
  const { client, server } = await connected({});
  const seen = (kind: string) => server.seen.filter(({ what }) => what === kind).length;
  await client.transport.terminateSession();
  expect(client.transport.sessionId).toBeUndefined();
  expect(seen('delete')).toBe(1); // the stream of the session may arrive later, on another connection
  await client.callTool('run');
  await client.close();
  expect([seen('tools/call'), seen('delete')]).toEqual([1, 1]);
});

test('does not use a session id that is invalid in a header', async () => {
  const { client } = await connected({
    initialize: ({ response, answer, message }) => {
      response.setHeader('mcp-session-id', 'with space');
      answer({
        protocolVersion: message.params?.protocolVersion,
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      });
    },
  });
  expect(client.transport.sessionId).toBeUndefined();
});
