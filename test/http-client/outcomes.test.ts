// Every request over HTTP settles with its known outcome: it did not run, it may have run, or the answer.

import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import type { HttpClientOptions } from '../../src/wire/transport/http/http-client.ts';
import { until } from '../fixtures/server.ts';
import { answerEvent, type Exchange, event, type Script, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function connected(script: Script, target: Partial<HttpClientOptions> = {}, options: ClientOptions = {}) {
  const server = await scripted(script);
  closing.push(server.close);
  const client = await connect({ url: server.url, auth: false, ...target }, { revision: '2025-11-25', ...options });
  closing.push(() => client.close());
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  return { server, client, errors };
}

const onCall = (call: (exchange: Exchange) => void): Script => ({ 'tools/call': call });
const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  ({ response }: Exchange) =>
    void response.writeHead(code, headers).end(body);
const json = { 'content-type': 'application/json' };
const rpcError = (id: unknown, code = -32000, message = 'no') =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

const cases: [string, (exchange: Exchange) => void, string, RegExp][] = [
  ['400', status(400), 'OUTCOME_UNKNOWN', /HTTP status 400 \(Bad Request\)/],
  ['401', status(401), 'NOT_SENT', /401/],
  ['403', status(403, {}, 'not you'), 'NOT_SENT', /403/],
  ['413', status(413), 'NOT_SENT', /413/],
  ['429', status(429, { 'retry-after': '7', ...json }, rpcError(null, -1, 'slow down')), 'NOT_SENT', /429.*slow down/],
  ['431', status(431), 'NOT_SENT', /431/],
  ['503 with Retry-After', status(503, { 'retry-after': '7' }), 'NOT_SENT', /503/],
  ['301', status(301, { location: '/other' }), 'NOT_SENT', /301/],
  ['308 to another origin', status(308, { location: 'http://other.test/mcp?token=1' }), 'NOT_SENT', /308/],
  ['303', status(303, { location: '/other' }), 'OUTCOME_UNKNOWN', /303/],
  [
    'another protocol',
    ({ request }) => request.socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
    'OUTCOME_UNKNOWN',
    /without a response/,
  ],
  ['500', status(500), 'OUTCOME_UNKNOWN', /500/],
  ['502', status(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'), 'OUTCOME_UNKNOWN', /502/],
  ['503', status(503), 'OUTCOME_UNKNOWN', /503/],
  ['504', status(504), 'OUTCOME_UNKNOWN', /504/],
  ['an error with an id that is none', status(400, json, rpcError({ toString: 1 })), 'RPC_ERROR', /no/],
  ['an error without an id', status(400, json, rpcError(null)), 'RPC_ERROR', /no/],
  [
    'an error with a status',
    ({ json: send, message }) => send(JSON.parse(rpcError(message.id, -32602)), 400),
    'INVALID_PARAMS',
    /no/,
  ],
  [
    'the method is not known',
    ({ json: send, message }) => send(JSON.parse(rpcError(message.id, -32601)), 404),
    'METHOD_NOT_FOUND',
    /no/,
  ],
  ['a page', status(200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>'), 'MESSAGE_INVALID', /text\/html/],
  ['no content type', status(200, {}, '{}'), 'MESSAGE_INVALID', /no content type/],
  ['an empty body', status(200, json), 'MESSAGE_INVALID', /empty/],
  ['202 without an answer', status(202), 'MESSAGE_INVALID', /202/],
  ['text that is not JSON', status(200, json, '{"jsonrpc":"2.0","id":'), 'MESSAGE_INVALID', /could not be read/],
  [
    'gzip',
    ({ response }) => void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    'MESSAGE_INVALID',
    /gzip/,
  ],
  [
    'the answer to another request',
    status(200, json, JSON.stringify({ jsonrpc: '2.0', id: 4711, result: {} })),
    'MESSAGE_INVALID',
    /does not answer this request/,
  ],
  [
    'a body that is too long',
    status(200, json, `{"jsonrpc":"2.0","id":3,"result":{"x":"${'x'.repeat(70_000)}"}}`),
    'FRAME_TOO_LONG',
    /maxFrameBytes/,
  ],
  [
    'an event that is too long',
    ({ stream }) => stream(`data: ${'x'.repeat(70_000)}\n\n`),
    'FRAME_TOO_LONG',
    /maxFrameBytes/,
  ],
  [
    'headers that are too long',
    status(200, { ...json, 'x-long': 'x'.repeat(20_000) }, '{}'),
    'OUTCOME_UNKNOWN',
    /may have run/,
  ],
  [
    'a reset',
    ({ request }) => void request.socket.resetAndDestroy(),
    'OUTCOME_UNKNOWN',
    /connection was cut .* may have run/,
  ],
  [
    'a body that is cut',
    ({ response, request }) => {
      response.writeHead(200, { ...json, 'content-length': '100' });
      response.write('{"jsonrpc"', () => request.socket.destroy());
    },
    'OUTCOME_UNKNOWN',
    /connection was cut .* may have run/,
  ],
  [
    'a stream that ends',
    ({ response, stream }) => {
      stream();
      response.end();
    },
    'OUTCOME_UNKNOWN',
    /before the answer/,
  ],
  [
    'a stream that is cut',
    ({ request, stream }) => {
      stream();
      setImmediate(() => request.socket.destroy());
    },
    'OUTCOME_UNKNOWN',
    /may have run/,
  ],
  [
    'no HTTP at all',
    ({ request }) => void request.socket.end('hello, I am a mail server\r\n'),
    'OUTCOME_UNKNOWN',
    /may have run/,
  ],
];

/** One connection for all calls, which continues after each. */
test('the response to a call determines its outcome', async () => {
  const { client } = await connected(
    onCall((exchange) => cases.find(([name]) => name === exchange.message.params?.name)![1](exchange)),
    { maxFrameBytes: 65_536 },
  );
  for (const [name, , code, message] of cases) {
    const error = await client.callTool(name).catch((thrown) => thrown);
    expect(error, name).toMatchObject({ code, message: expect.stringMatching(message) });
  }
  expect((await client.listTools()).tools).toEqual([]);
});

test('a call to a stopped server was never sent, and one on a closed connection has either outcome', async () => {
  const { client, server } = await connected({});
  await client.callTool('first');
  await server.close();
  await expect(client.callTool('second')).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:NOT_SENT|OUTCOME_UNKNOWN)$/),
  });
  await expect(client.callTool('third')).rejects.toMatchObject({
    code: 'NOT_SENT',
    message: expect.stringContaining('the connection was refused'),
    evidence: { url: server.url },
  });
});

test('reports an address that cannot be resolved, and one without a server', async () => {
  await expect(connect({ url: 'http://no-such-host.invalid/mcp' })).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: expect.stringContaining('cannot be looked up'),
  });
  expect(() => connect({ url: 'ftp://example.test' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

test('reports a second answer and does not deliver it', async () => {
  const { client, errors } = await connected(
    onCall(({ message, stream, response }) => {
      stream(answerEvent(message, 'one'), answerEvent(message, 'two'));
      response.end();
    }),
  );
  expect(await client.callTool('run')).toMatchObject({ content: [{ text: 'one' }] });
  await until('it is reported', () => errors.length > 0);
  expect(errors[0]!.message).toContain('answered tools/call twice');
});

test('reports an answer to another request on a stream, and uses the right one', async () => {
  const { client, errors } = await connected(
    onCall(({ message, stream, response }) => {
      stream(event({ jsonrpc: '2.0', id: 4711, result: {} }), answerEvent(message, 'right'));
      response.end();
    }),
  );
  expect(await client.callTool('run')).toMatchObject({ content: [{ text: 'right' }] });
  expect(errors[0]!.message).toContain('another request');
});

test('the timeout of the request bounds a slow body, and the request is cancelled and closed', async () => {
  let closed = false;
  const { client, server } = await connected(
    onCall(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
    }),
  );
  await expect(client.callTool('run', {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  await until('the connection is closed', () => closed);
  const cancelled = server.seen.find(({ what }) => what === 'notifications/cancelled');
  expect(cancelled?.message.params).toMatchObject({
    requestId: server.seen.find(({ what }) => what === 'tools/call')!.message.id,
  });
});

test('requests above the limit are queued, one that is cancelled meanwhile is never sent, and further ones are refused', async () => {
  const held: Exchange[] = [];
  const { client, server } = await connected(
    onCall((exchange) => void held.push(exchange)),
    {
      maxConcurrent: 2,
      maxQueued: 1,
    },
  );
  const calls = [client.callTool('a'), client.callTool('b')];
  await until('two are under way', () => held.length === 2);
  const abort = new AbortController();
  const cancelled = client.callTool('c', {}, { signal: abort.signal });
  await expect(client.callTool('d')).rejects.toMatchObject({ code: 'NOT_SENT', cause: { code: 'SEND_QUEUE_FULL' } });
  abort.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  const waiting = client.callTool('e');
  // Notifications do not wait for a slot.
  await client.notifyRootsChanged().catch(() => undefined);
  for (const { answer } of held.splice(0)) answer();
  await Promise.all(calls);
  await until('the next is under way', () => held.length === 1);
  held[0]!.answer();
  await waiting;
  const names = server.seen.filter(({ what }) => what === 'tools/call').map(({ message }) => message.params?.name);
  expect(names).toEqual(['a', 'b', 'e']);
});

test('close settles every call, and queued calls were never sent', async () => {
  const { client, server } = await connected(
    onCall(() => undefined),
    { maxConcurrent: 1 },
  );
  const calls = [client.callTool('a'), client.callTool('b')].map((call) => call.catch((error) => error));
  await until('the first has arrived', () => server.seen.some(({ what }) => what === 'tools/call'));
  await client.close();
  expect(await Promise.all(calls)).toMatchObject([{ code: 'CONNECTION_CLOSED' }, { code: 'NOT_SENT' }]);
});

test('a refusal that is cut while the authorizer runs is still a refusal', async () => {
  const refusals: Exchange[] = [];
  const refused = async () => {
    const [{ response }] = refusals as [Exchange];
    response.socket!.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    await until('the cut is noticed', async () => (await server.sockets()) === 0);
    await new Promise((resolve) => setImmediate(resolve));
    return false;
  };
  const { client, server } = await connected(
    onCall((exchange) => {
      refusals.push(exchange);
      exchange.response.writeHead(401, { 'content-length': '100' }).write('some');
    }),
    { authorizer: { header: () => 'Bearer hunter3-hunter3', refused } },
  );
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'NOT_SENT', evidence: { status: 401 } });
});

test('an authorizer that throws at a refusal fails the request', async () => {
  const refused = () => {
    throw new Error('no keyring');
  };
  const { client } = await connected(onCall(status(401)), { authorizer: { header: () => undefined, refused } });
  await expect(client.callTool('run')).rejects.toMatchObject({
    code: 'NOT_SENT',
    message: expect.stringContaining('no keyring'),
  });
});

test('shortens the text with which a server refuses the connection', async () => {
  const long = 'x'.repeat(100_000);
  const odd = { toString: 1 };
  const refusals = [
    { code: -32000, message: long },
    {
      code: -32022,
      message: 'v',
      data: { supported: [odd, long, ...Array.from({ length: 100 }, () => '2031-01-01')] },
    },
    { code: -32021, message: 'c', data: { requiredCapabilities: { [long]: {} } } },
  ];
  for (const error of refusals) {
    const refuse = ({ json: send, message: { id } }: Exchange) => send({ jsonrpc: '2.0', id, error });
    const server = await scripted({ initialize: refuse, 'server/discover': refuse });
    closing.push(server.close);
    const thrown = await connect({ url: server.url, auth: false }).catch((reason) => reason);
    expect(thrown.code).toMatch(/^(?:RPC_ERROR|NEGOTIATION_FAILED)$/);
    expect(thrown.message.length).toBeLessThan(3000);
  }
});

test('the token of an authorizer does not appear in errors', async () => {
  const authorizer = { header: () => 'Bearer hunter3-hunter3', refused: async () => false };
  const { client } = await connected(
    onCall(({ request, json: send, message }) =>
      send(JSON.parse(rpcError(message.id, -32603, `Not allowed: ${request.headers.authorization}`))),
    ),
    { authorizer },
  );
  await expect(client.callTool('run')).rejects.toThrow('Not allowed: Bearer [redacted]');
});

test('the values of headers do not appear in errors', async () => {
  const authorization = 'Bearer hunter2-hunter2';
  const { client } = await connected(
    onCall(({ request, response }) => {
      const [, token] = request.headers.authorization!.split(' ');
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${request.headers.authorization} or ${token}`);
    }),
    { headers: { authorization } },
  );
  const error = await client.callTool('run').catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', evidence: { status: 500 } });
  expect(`${error.message} ${error.hint} ${JSON.stringify(error.evidence)}`).not.toContain('hunter2');
});
