// Accepted origins of requests: TLS, the names of the server, a reverse proxy, and pages of other origins.

import { request as httpsRequest } from 'node:https';
import { checkServerIdentity } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { Auth } from '../../src/host/gateway/access/auth.ts';
import { type ServeHttpOptions, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving(options: ServeHttpOptions) {
  const server = new Server({ name: 'origins', version: '1' });
  server.tool('echo', {}, () => 'echoed');
  const http = await serveHttp(server, options);
  closing.push(() => http.close());
  return http;
}

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  ca?: string;
}

/** Uses node:http, because `fetch` sets some headers itself. */
async function send(url: string, { method = 'POST', headers = {}, ca }: Sent) {
  const { request } = url.startsWith('https:') ? { request: httpsRequest } : await import('node:http');
  return new Promise<{ status: number; headers: Record<string, unknown>; peer: string | undefined }>(
    (resolve, reject) => {
      let peer: string | undefined;
      const sent = request(
        url,
        {
          method,
          ca,
          agent: false,
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
          checkServerIdentity: (name: string, cert: Parameters<typeof checkServerIdentity>[1]) => {
            peer = cert.subject.CN as string;
            return checkServerIdentity(name, cert);
          },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, peer }));
        },
      );
      sent.on('error', reject);
      sent.end(method === 'POST' ? body : undefined);
    },
  );
}

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

test('a TLS certificate can be renewed while the gateway serves', async () => {
  const [first, second] = [selfSigned('first'), selfSigned('second')];
  const { url, token, renewTls } = await serving({ tls: first });
  expect(url).toMatch(/^https:/);
  const before = await send(url, { headers: bearer(token), ca: first.cert });
  expect(before).toMatchObject({ status: 200, peer: 'first' });
  renewTls(second);
  await expect(send(url, { headers: bearer(token), ca: first.cert })).rejects.toThrow();
  const after = await send(url, { headers: bearer(token), ca: second.cert });
  expect(after).toMatchObject({ status: 200, peer: 'second' });
  expect(() => renewTls({ cert: first.cert, key: second.key })).toThrow('The certificate cannot be used');
  expect(await send(url, { headers: bearer(token), ca: second.cert })).toMatchObject({ status: 200 });
  const origin = new URL(url).origin;
  expect(await send(url, { headers: { ...bearer(token), origin }, ca: second.cert })).toMatchObject({ status: 200 });
  const plain = origin.replace('https', 'http');
  expect(await send(url, { headers: { ...bearer(token), origin: plain }, ca: second.cert })).toMatchObject({
    status: 403,
  });
});

test('a certificate that cannot be used is refused at the start', async () => {
  const [one, other] = [selfSigned('one'), selfSigned('other')];
  await expect(serving({ tls: { cert: one.cert, key: other.key } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(serving({ tls: { cert: 'x', key: 'y' } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

test('addresses other than loopback need authentication and TLS', async () => {
  const auth: Auth = { authenticate: () => ({ name: 'anyone' }) };
  for (const options of [{}, { token: false as const }, { token: 'x'.repeat(40) }, { auth }]) {
    await expect(serving({ host: '0.0.0.0', ...options })).rejects.toMatchObject({ code: 'INSECURE_ADDRESS' });
  }
});

test('every loopback address is accepted as local', async () => {
  const { url, token } = await serving({ host: '127.0.0.2' });
  expect(url).toContain('//127.0.0.2:');
  expect(await send(url, { headers: bearer(token) })).toMatchObject({ status: 200 });
});

test('behind a proxy, the public name and its origin are accepted, in upper and lower case', async () => {
  const { url, port, token } = await serving({ behindProxy: true, publicUrl: 'https://Gateway.example.org' });
  expect(url).toBe('https://gateway.example.org/mcp');
  const at = (headers: Record<string, string>) =>
    send(`http://127.0.0.1:${port}/mcp`, { headers: { ...bearer(token), ...headers } });
  expect(await at({ host: 'gateway.example.org' })).toMatchObject({ status: 200 });
  expect(await at({ host: 'Gateway.Example.org' })).toMatchObject({ status: 200 });
  expect(await at({})).toMatchObject({ status: 200 });
  expect(await at({ host: 'gateway.example.org', origin: 'https://gateway.example.org' })).toMatchObject({
    status: 200,
  });
  expect(await at({ host: 'gateway.example.org:80' })).toMatchObject({ status: 403 });
  expect(await at({ host: 'gateway.example.org', origin: 'https://evil.example' })).toMatchObject({ status: 403 });
  expect(await at({ host: 'gateway.example.org', origin: 'http://gateway.example.org.evil.example' })).toMatchObject({
    status: 403,
  });
  expect(await at({ host: 'evil.example', 'x-forwarded-host': 'gateway.example.org' })).toMatchObject({ status: 403 });
});

test('only pages of allowed origins may use the gateway', async () => {
  const origin = 'https://app.example.org';
  const { url, token } = await serving({ allowedOrigins: [origin] });
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const asked = await send(url, { method: 'OPTIONS', headers: { origin, ...preflight } });
  expect(asked).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'authorization',
      'access-control-allow-methods': 'POST, GET, DELETE',
      vary: 'origin',
    },
  });
  const served = await send(url, { headers: { origin, ...bearer(token) } });
  expect(served).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin } });
  expect(served.headers['access-control-expose-headers']).toContain('mcp-session-id');
  const refused = await send(url, { headers: { origin } });
  expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': origin } });
  for (const other of ['https://evil.example', 'https://app.example.org.evil.example', 'http://app.example.org']) {
    const answer = await send(url, { method: 'OPTIONS', headers: { origin: other, ...preflight } });
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect((await send(url, { headers: bearer(token) })).headers['access-control-allow-origin']).toBeUndefined();
  await expect(serving({ allowedOrigins: ['*'] })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});
