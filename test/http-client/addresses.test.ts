// Destinations of requests: redirects, proxies, TLS, credentials in an address. Secrets are sent to no other
// destination.

import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectSocket, createServer as createSocketServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';
import { until } from '../fixtures/server.ts';
import { type Script, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

async function server(script: Script, tls?: { cert: string; key: string }) {
  const serving = await scripted(script, tls);
  closing.push(serving.close);
  return serving;
}

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
const revision = '2025-11-25';
const redirect = (status: number, location: string): Script => ({
  initialize: ({ response }) => void response.writeHead(status, { location }).end(),
});

test.each([307, 308])('follows %i to the same origin, and remembers it', async (status) => {
  const usual = await server({});
  const { url, seen } = await server({
    initialize: ({ request, response, answer, message }) => {
      if (request.url === '/mcp') return void response.writeHead(status, { location: '/mcp/' }).end();
      answer({
        protocolVersion: message.params?.protocolVersion,
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      });
    },
  });
  const client = await connect({ url, headers: { 'x-key': 'k' }, auth: false }, { revision });
  closing.push(() => client.close());
  await client.callTool('run');
  expect(client.transport.url.pathname).toBe('/mcp/');
  expect(seen.filter(({ what }) => what === 'tools/call')).toHaveLength(1);
  expect(usual.seen).toEqual([]);
});

test('does not follow redirects to other origins, of other kinds, or in a loop', async () => {
  const other = await server({});
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await server(redirect(status, other.url));
    const connecting = connect(
      { url, headers: { authorization: 'Bearer secret-secret' }, transport: 'http' },
      { revision },
    );
    await expect(connecting).rejects.toMatchObject({
      message: expect.stringContaining(`HTTP status ${status}`),
      hint: expect.stringContaining(other.url),
    });
  }
  expect(other.seen).toEqual([]);
  const endless = await server(redirect(307, '/again'));
  await expect(connect({ url: endless.url, auth: false }, { revision })).rejects.toThrow('HTTP status 307');
  expect(endless.seen).toHaveLength(4);
});

test('sends user and password of an address as a header, and shows them nowhere', async () => {
  const { url, seen } = await server({ 'tools/call': ({ response }) => void response.writeHead(500).end() });
  const client = await connect({ url: url.replace('//', '//ada:p%40ssword@') }, { revision });
  closing.push(() => client.close());
  expect(seen[0]!.headers.authorization).toBe(`Basic ${Buffer.from('ada:p@ssword').toString('base64')}`);
  const error = await client.callTool('run').catch((thrown) => thrown);
  expect(JSON.stringify([error.message, error.evidence, client.transport.url])).not.toMatch(/ssword|ada/);
});

test('a key in the query of an address does not appear in errors', async () => {
  const { url } = await server({
    'tools/call': ({ request, response }) =>
      void response.writeHead(404, { 'content-type': 'text/plain' }).end(`Cannot POST ${request.url}`),
    initialize: ({ answer }) =>
      answer({ protocolVersion: revision, capabilities: {}, serverInfo: { name: 's', version: '1' } }),
  });
  const client = await connect({ url: `${url}?k=hunter2-hunter2`, auth: false }, { revision });
  closing.push(() => client.close());
  await expect(client.callTool('run')).rejects.toThrow('Cannot POST /mcp?k=[redacted]');
});

test('accepts a percent sign that is no escape in a password', async () => {
  const { url, seen } = await server({});
  const client = await connect({ url: url.replace('//', '//ada:100%25%zz@') }, { revision });
  closing.push(() => client.close());
  expect(seen[0]!.headers.authorization).toBe(`Basic ${Buffer.from('ada:100%25%zz').toString('base64')}`);
});

test('a request on a connection that is not established in time was never sent', async () => {
  const silent = createSocketServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  closing.push(async () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
  const connecting = connect({ url, connectTimeoutMs: 50, auth: false }, { revision });
  await expect(connecting).rejects.toMatchObject({
    message: expect.stringContaining('connectTimeoutMs'),
    cause: { code: 'NOT_SENT' },
  });
});

/** A proxy that forwards every request to one server. */
async function proxy(port: number, refuses = false) {
  const asked: string[] = [];
  const listener = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (refuses) return void response.writeHead(407).end();
    const onward = connectSocket(port, '127.0.0.1');
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    onward.write(
      `${request.method} ${new URL(request.url!).pathname} HTTP/1.1\r\n${headers.join('')}connection: close\r\n\r\n`,
    );
    request.pipe(onward, { end: false });
    onward.pipe(response.socket!);
  });
  listener.on('connect', (request: IncomingMessage, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    if (refuses) return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    const onward = connectSocket(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    listener.close();
    listener.closeAllConnections();
  });
  return { asked, url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}` };
}

test('uses HTTP_PROXY for http, but not for loopback', async () => {
  const port = portOf(await server({}));
  const { asked, url } = await proxy(port);
  vi.stubEnv('http_proxy', url);
  const client = await connect({ url: 'http://remote.test/mcp', auth: false }, { revision });
  expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'echo' }] });
  await client.close();
  expect(asked[0]).toBe('POST http://remote.test/mcp');
  const direct = await server({});
  const count = asked.length;
  const local = await connect({ url: direct.url, auth: false }, { revision });
  await local.close();
  expect(asked).toHaveLength(count);
  vi.stubEnv('NO_PROXY', '.test');
  await expect(connect({ url: 'http://remote.test/mcp', auth: false }, { revision })).rejects.toThrow(
    'cannot be looked up',
  );
  expect(asked).toHaveLength(count);
});

test('uses HTTPS_PROXY for https, and trusts the certificate only with `ca`', async () => {
  const tls = selfSigned('remote', 'remote.test');
  const port = portOf(await server({}, tls));
  const { asked, url } = await proxy(port);
  vi.stubEnv('HTTPS_PROXY', url);
  const remote = 'https://remote.test/mcp';
  await expect(connect({ url: remote, auth: false }, { revision })).rejects.toMatchObject({
    message: expect.stringContaining('not trusted'),
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  const client = await connect({ url: remote, ca: tls.cert, auth: false }, { revision });
  closing.push(() => client.close());
  expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'echo' }] });
  expect(new Set(asked)).toEqual(new Set(['CONNECT remote.test:443']));
});

test('a request that a proxy refuses was never sent', async () => {
  const { url } = await proxy(1, true);
  vi.stubEnv('HTTPS_PROXY', url);
  vi.stubEnv('HTTP_PROXY', url);
  for (const remote of ['https://remote.test/mcp', 'http://remote.test/mcp']) {
    const error = await connect({ url: remote, transport: 'http', auth: false }, { revision }).catch(
      (thrown) => thrown,
    );
    expect(error.cause).toMatchObject({ code: 'NOT_SENT', hint: expect.stringContaining('PROXY') });
  }
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  const error = await connect({ url: 'https://remote.test/mcp', auth: false }, { revision }).catch((thrown) => thrown);
  expect(error.cause).toMatchObject({ code: 'NOT_SENT' });
});

test('a proxy that does not answer fails at the limit for connections, and leaves no socket', async () => {
  const silent = createSocketServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket.on('error', () => undefined).resume()));
  closing.push(async () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const target = { url: 'https://remote.test/mcp', auth: false } as const;
  await expect(connect({ ...target, connectTimeoutMs: 50 }, { revision })).rejects.toMatchObject({
    message: expect.stringContaining('connectTimeoutMs'),
    cause: { code: 'NOT_SENT' },
  });
  const closed = new AbortController();
  const connecting = connect(target, { revision, signal: closed.signal });
  await until('it is asked twice', () => sockets.length === 2);
  closed.abort();
  await expect(connecting).rejects.toThrow();
  await until('no socket is left', () => sockets.every((socket) => socket.destroyed || socket.readableEnded));
});
