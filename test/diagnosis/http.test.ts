// The mistakes of docs/troubleshooting.md about remote servers, with real servers: each is recognised, with its fix.

import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BoundedEraMemory, connect, type StandpipeError } from '../../src/entry/client.ts';
import { type HttpServing, serveHttp } from '../../src/entry/http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { diagnoseHttp, type HttpSymptoms } from '../../src/wire/diagnosis/http.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';

const certificate = selfSigned('here');
const server = new Server({ name: 'here', version: '1.0.0' });
const listening: (HttpServer | TcpServer)[] = [];
let guarded: HttpServing;
let secure: HttpServing;
let closedPort: number;

async function at(listener: HttpServer | TcpServer): Promise<number> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listening.push(listener);
  return (listener.address() as AddressInfo).port;
}

/** A server that answers every request with the same response. */
async function answering(status: number, headers: Record<string, string>, body = ''): Promise<string> {
  const answer: RequestListener = (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
  return `http://127.0.0.1:${await at(createServer(answer))}/mcp`;
}

beforeAll(async () => {
  guarded = await serveHttp(server, { token: 'the-right-token' });
  secure = await serveHttp(server, { token: false, tls: certificate });
  const closing = createTcpServer();
  closedPort = await at(closing);
  closing.close();
});

afterAll(async () => {
  for (const each of listening) each.close();
  await Promise.all([guarded.close(), secure.close()]);
});

async function failure(target: { url: string; headers?: Record<string, string> }): Promise<StandpipeError> {
  return connect(target, { eraMemory: new BoundedEraMemory() }).then(
    async (client) => {
      await client.close();
      throw new Error('it connected');
    },
    (error: StandpipeError) => error,
  );
}

const html = { 'content-type': 'text/html; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const authorized = { authorization: 'Bearer another-secret-token' };

const mistakes: [
  name: string,
  target: () => Promise<{ url: string; headers?: Record<string, string> }>,
  fix: RegExp,
][] = [
  ['connection-refused', async () => ({ url: `http://127.0.0.1:${closedPort}/mcp` }), /host and port/],
  ['no-tls', async () => ({ url: guarded.url.replace('http:', 'https:') }), /http:\/\//],
  ['no-response', async () => ({ url: secure.url.replace('https:', 'http:') }), /https:\/\//],
  [
    'needs-tls',
    async () => ({ url: await answering(400, html, 'The plain HTTP request was sent to HTTPS port') }),
    /https:\/\//,
  ],
  ['certificate-not-trusted', async () => ({ url: secure.url }), /"ca"/],
  [
    'not-http',
    async () => ({
      url: `http://127.0.0.1:${await at(createTcpServer((socket) => socket.end('220 mail.example.org ESMTP\r\n')))}/mcp`,
    }),
    /port/,
  ],
  ['credential-refused', async () => ({ url: guarded.url, headers: authorized }), /"Authorization".*standpipe login/],
  ['page-instead-of-mcp', async () => ({ url: await answering(200, html, '<!doctype html><p>Log in</p>') }), /path/],
  ['wrong-path', async () => ({ url: await answering(404, html, '<p>Not found') }), /\/mcp/],
  [
    'wrong-path',
    async () => ({ url: `${await answering(405, html)}/sse`, transport: 'http' as const }),
    /"type": "sse"/,
  ],
  [
    'moved',
    async () => ({ url: await answering(302, { location: 'https://elsewhere.example.org/mcp' }) }),
    /elsewhere/,
  ],
  ['server-error', async () => ({ url: await answering(503, html, 'no healthy upstream') }), /log/],
  ['too-many-requests', async () => ({ url: await answering(429, { 'retry-after': '60' }) }), /Wait/],
  ['not-mcp', async () => ({ url: await answering(200, json, '{"hello":"world"}') }), /API/],
];

test.each(mistakes)('recognises %s with its fix', async (name, target, fix) => {
  const given = await target();
  const error = await failure(given);
  expect([error.evidence?.diagnosis, error.message]).toEqual([name, expect.stringContaining('the server ')]);
  expect(error.message).toContain(`Could not connect to ${given.url}`);
  expect(error.hint).toMatch(fix);
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain('another-secret-token');
});

test('the hint for a missing token names the login and the header', async () => {
  const error = await failure({ url: guarded.url });
  expect(error).toMatchObject({
    code: 'LOGIN_REQUIRED',
    hint: expect.stringMatching(/standpipe login .*"Authorization"/),
  });
});

const symptoms = (given: Partial<HttpSymptoms>, url = 'https://mcp.example.org/mcp'): HttpSymptoms => ({
  url: new URL(url),
  ...given,
});

test.each<[string, Partial<HttpSymptoms>]>([
  ['unknown-host', { errorCode: 'ENOTFOUND' }],
  ['no-route', { errorCode: 'EHOSTUNREACH' }],
  ['certificate-of-another-host', { errorCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ['certificate-expired', { errorCode: 'CERT_HAS_EXPIRED' }],
  ['proxy-refused', { byProxy: true, status: 407 }],
])('recognises %s by its symptoms', (name, given) => {
  expect(diagnoseHttp(symptoms(given))).toMatchObject({ name });
});
