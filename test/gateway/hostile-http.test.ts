// HTTP requests that break a rule: each is refused with the appropriate status, and the server continues to serve.

import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

let http: HttpServing;
let sessionId: string;

beforeAll(async () => {
  const server = new Server({ name: 'hostile-test', version: '1.0.0' });
  server.tool('echo', {}, (args) => JSON.stringify(args));
  server.tool('region', { input: regionSchema }, () => 'here');
  http = await serveHttp(server, { maxBodyBytes: 100_000, maxSessions: 6 });
  const opened = await send({ body: initialize });
  expect(opened.status).toBe(200);
  sessionId = opened.headers['mcp-session-id'] as string;
});
afterAll(() => http.close());

const regionSchema = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
} as never;

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const modern = (method: string, params: object = {}) => ({
  body: { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: modernMeta } },
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('name' in params && { 'mcp-name': params.name as string }),
  },
});
const echo = modern('tools/call', { name: 'echo', arguments: {} });
const region = modern('tools/call', { name: 'region', arguments: { region: 'eu' } });
const inSession = () => ({ 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' });
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

const swapCase = (text: string) => text.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()));

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[] | undefined>;
  body?: unknown;
}

function send({ method = 'POST', path = '/mcp', headers = {}, body }: Sent) {
  const { hostname, port } = new URL(http.url);
  const given: Record<string, string | string[]> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${http.token}`,
  };
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) delete given[name];
    else given[name] = value;
  }
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: given }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });
}

const refused: [what: string, request: () => Sent, status: number, code?: number][] = [
  ['no token', () => ({ body: list, headers: { authorization: undefined } }), 401],
  ['a wrong token', () => ({ body: list, headers: { authorization: 'Bearer no' } }), 401],
  ['another scheme', () => ({ body: list, headers: { authorization: `Basic ${http.token}` } }), 401],
  ['a scheme without a token', () => ({ body: list, headers: { authorization: 'Bearer ' } }), 401],
  ['a token without a scheme', () => ({ body: list, headers: { authorization: http.token } }), 401],
  ['a token and more', () => ({ body: list, headers: { authorization: `Bearer ${http.token}, Bearer x` } }), 401],
  [
    'a token of the wrong case',
    () => ({ body: list, headers: { authorization: `Bearer ${swapCase(http.token!)}` } }),
    401,
  ],
  ['a long Authorization', () => ({ body: list, headers: { authorization: `Bearer ${'x'.repeat(15_000)}` } }), 401],
  ['an Authorization that is too long', () => ({ body: list, headers: { authorization: 'x'.repeat(20_000) } }), 431],
  [
    'a token in the query',
    () => ({ path: `/mcp?access_token=${http.token}`, body: list, headers: { authorization: undefined } }),
    401,
  ],
  ['two tokens', () => ({ body: list, headers: { authorization: [`Bearer ${http.token}`, 'Bearer x'] } }), 401],
  ['two types', () => ({ body: list, headers: { 'content-type': ['application/json', 'text/plain'] } }), 415],
  ['a foreign Host', () => ({ body: list, headers: { host: 'example.org' } }), 403],
  ['a rebound Host', () => ({ body: list, headers: { host: 'evil.example:80' } }), 403],
  ['a foreign Origin', () => ({ body: list, headers: { origin: 'https://evil.example' } }), 403],
  ['an Origin of another port', () => ({ body: list, headers: { origin: 'http://127.0.0.1:1' } }), 403],
  ['an Origin that is null', () => ({ body: list, headers: { origin: 'null' } }), 403],
  ['another path', () => ({ path: '/', body: list }), 404],
  ['a path below', () => ({ path: '/mcp/x', body: list }), 404],
  ['PUT', () => ({ method: 'PUT', body: list }), 405],
  ['OPTIONS', () => ({ method: 'OPTIONS' }), 405],
  ['HEAD', () => ({ method: 'HEAD' }), 405],
  ['a form', () => ({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }), 415],
  ['plain text', () => ({ body: JSON.stringify(list), headers: { 'content-type': 'text/plain' } }), 415],
  ['a body that is said to be compressed', () => ({ body: list, headers: { 'content-encoding': 'gzip' } }), 415],
  ['two encodings', () => ({ body: list, headers: { 'content-encoding': 'identity, gzip' } }), 415],
  ['no content type', () => ({ body: list, headers: { 'content-type': undefined } }), 415],
  ['an empty body', () => ({ body: '' }), 400, -32700],
  ['half JSON', () => ({ body: '{"jsonrpc":"2.0","id":1,' }), 400, -32700],
  ['no JSON', () => ({ body: 'hello' }), 400, -32700],
  ['JSON that is no message', () => ({ body: '{"a":1}' }), 400, -32600],
  ['a number', () => ({ body: '1' }), 400, -32600],
  ['a batch', () => ({ body: [list, list], headers: inSession() }), 400],
  ['a body that is too long', () => ({ body: `"${'x'.repeat(200_000)}"` }), 413],
  ['an id that is an object', () => ({ body: { ...list, id: {} }, headers: inSession() }), 400],
  ['no session', () => ({ body: list }), 400],
  ['an unknown session', () => ({ body: list, headers: { 'mcp-session-id': 'nobody' } }), 404],
  ['a session id that is a path', () => ({ body: list, headers: { 'mcp-session-id': '../../etc' } }), 404],
  [
    'an unknown version in a session',
    () => ({ body: list, headers: { ...inSession(), 'mcp-protocol-version': '1999-01-01' } }),
    400,
    -32022,
  ],
  ['an unknown version', () => ({ body: list, headers: { 'mcp-protocol-version': 'x' } }), 400, -32022],
  ['a GET without the stream', () => ({ method: 'GET', headers: { accept: 'application/json' } }), 406],
  ['a GET of 2026-07-28', () => ({ method: 'GET', headers: { 'mcp-protocol-version': '2026-07-28' } }), 405],
  ['a GET of an unknown session', () => ({ method: 'GET', headers: { 'mcp-session-id': 'nobody' } }), 404],
  ['events that never were', () => ({ method: 'GET', headers: { ...inSession(), 'last-event-id': '99-1' } }), 400],
  [
    'an event id that is none',
    () => ({ method: 'GET', headers: { ...inSession(), 'last-event-id': '__proto__' } }),
    400,
  ],
  ['a DELETE without a session', () => ({ method: 'DELETE' }), 400],
  ['a DELETE of another session', () => ({ method: 'DELETE', headers: { 'mcp-session-id': 'nobody' } }), 404],
  ['a message for an unknown stream', () => ({ path: '/mcp?sessionId=nobody', body: list }), 404],
  ['a message for the stream of a session', () => ({ path: `/mcp?sessionId=${sessionId}`, body: list }), 404],
  [
    'a modern request without Mcp-Method',
    () => ({ ...echo, headers: { ...echo.headers, 'mcp-method': undefined } }),
    400,
    -32020,
  ],
  ['another Mcp-Method', () => ({ ...echo, headers: { ...echo.headers, 'mcp-method': 'tools/list' } }), 400, -32020],
  [
    'an Mcp-Method in capitals',
    () => ({ ...echo, headers: { ...echo.headers, 'mcp-method': 'TOOLS/CALL' } }),
    400,
    -32020,
  ],
  ['another Mcp-Name', () => ({ ...echo, headers: { ...echo.headers, 'mcp-name': 'other' } }), 400, -32020],
  ['no Mcp-Name', () => ({ ...echo, headers: { ...echo.headers, 'mcp-name': undefined } }), 400, -32020],
  [
    'an Mcp-Name in bad base64',
    () => ({ ...echo, headers: { ...echo.headers, 'mcp-name': '=?base64?***?=' } }),
    400,
    -32020,
  ],
  [
    'no version header',
    () => ({ ...echo, headers: { ...echo.headers, 'mcp-protocol-version': undefined } }),
    400,
    -32020,
  ],
  [
    'a version header without its modernMeta',
    () => ({ body: list, headers: { ...echo.headers, 'mcp-method': 'tools/list' } }),
    400,
    -32602,
  ],
  ['no Mcp-Param header', () => region, 400, -32020],
  [
    'another Mcp-Param header',
    () => ({ ...region, headers: { ...region.headers, 'mcp-param-region': 'us' } }),
    400,
    -32020,
  ],
  ['an unknown method', () => modern('no/such'), 404, -32601],
  [
    'a modern response',
    () => ({ body: { jsonrpc: '2.0', id: 1, result: {} }, headers: { 'mcp-protocol-version': '2026-07-28' } }),
    400,
  ],
];

test.each(refused)('%s is refused', async (_what, request, status, code) => {
  const answer = await send(request());
  expect(answer.status).toBe(status);
  if (code !== undefined) expect(JSON.parse(answer.text).error.code).toBe(code);
  const served = await send(echo);
  expect(served.status).toBe(200);
  expect(JSON.parse(served.text).result.content).toEqual([{ type: 'text', text: '{}' }]);
});

test('two Host headers are refused, because a proxy may have used the other one', async () => {
  const { hostname, port, host } = new URL(http.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nHost: example.org\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1.1 403 /);
});

test('a session above half of the limit is refused until the principal closes another one', async () => {
  const opened = [await send({ body: initialize }), await send({ body: initialize })];
  const more = await send({ body: initialize });
  expect(more.status).toBe(429);
  expect(more.headers['retry-after']).toBe('10');
  for (const { headers } of opened) {
    const closed = await send({ method: 'DELETE', headers: { 'mcp-session-id': headers['mcp-session-id'] as string } });
    expect(closed.status).toBe(204);
  }
  expect((await send({ body: initialize })).status).toBe(200);
});

test('Mcp-Param headers that agree are accepted, encoded or not', async () => {
  const plain = await send({ ...region, headers: { ...region.headers, 'mcp-param-region': 'eu' } });
  expect(plain.status).toBe(200);
  const encoded = `=?base64?${Buffer.from('eu').toString('base64')}?=`;
  const coded = await send({ ...region, headers: { ...region.headers, 'mcp-param-region': encoded } });
  expect(coded.status).toBe(200);
});
