// Connections that send no request, send it too slowly, or do not read the answer are closed, and their resources are released. Other
// clients are served meanwhile.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpServing, type ServeHttpOptions, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { lacks } from '../fixtures/windows.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ANSWER_BYTES = 64 * 1024 * 1024;

async function serving(options: ServeHttpOptions) {
  const server = new Server({ name: 'connections', version: '1.0.0' });
  let abandoned!: () => void;
  const wasAbandoned = new Promise<void>((resolve) => {
    abandoned = resolve;
  });
  server.tool('echo', {}, () => 'here');
  let ran!: () => void;
  const longRan = new Promise<void>((resolve) => {
    ran = resolve;
  });
  server.tool('long', {}, () => {
    ran();
    return 'x'.repeat(ANSWER_BYTES);
  });
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.tool('gated', {}, async () => {
    await released;
    return 'late';
  });
  server.tool('never', {}, (_, call) => {
    call.signal.addEventListener('abort', abandoned);
    return new Promise<string>(() => undefined);
  });
  const http = await serveHttp(server, { token: false, ...options });
  closing.push(() => http.close());
  return { http, wasAbandoned, longRan, release };
}

function dial({ url }: HttpServing): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // a reset also ends the connection
  closing.push(() => socket.destroy());
  return socket;
}

/** All data until the end of the connection. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve)); // `once` of node:events would reject at a reset
  return text;
}

const body = (name: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, _meta: modernMeta },
  });
const headers = (name: string) => modernHeaders('tools/call', name);
function head({ url }: HttpServing, name: string): string {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ ...headers(name), host, 'content-length': String(body(name).length) });
  return `POST ${pathname} HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`;
}

async function isServed({ url }: HttpServing): Promise<boolean> {
  const response = await fetch(url, { method: 'POST', headers: headers('echo'), body: body('echo') });
  return (await response.text()).includes('here');
}

/** On Windows, a reset because of bytes after the answer can discard the answer. */
const tooSlow = lacks.answersBeforeReset ? /^(?:HTTP\/1.1 408 |$)/ : /^HTTP\/1.1 408 /;
const quick = { headersTimeoutMs: 300, requestTimeoutMs: 600 };

test('connections without a request are closed', async () => {
  const { http } = await serving(quick);
  const sockets = Array.from({ length: 50 }, () => dial(http));
  const ends = sockets.map(received);
  // Retries, because on a busy machine this request may also be too late.
  await expect.poll(() => isServed(http)).toBe(true);
  for (const text of await Promise.all(ends)) expect(text).toMatch(/^(HTTP\/1.1 408 |$)/);
});

test('headers that arrive byte by byte are refused with 408', async () => {
  const { http } = await serving(quick);
  const socket = dial(http);
  const text = head(http, 'echo');
  let at = 0;
  const drip = setInterval(() => socket.write(text[at++ % text.length]!), 20);
  closing.push(() => clearInterval(drip));
  expect(await received(socket)).toMatch(tooSlow);
});

test('a body that arrives byte by byte is refused with 408, and its admission is released', async () => {
  const { http } = await serving({ ...quick, maxInFlight: 1 });
  const socket = dial(http);
  socket.write(head(http, 'echo'));
  const drip = setInterval(() => socket.write(' '), 20);
  closing.push(() => clearInterval(drip));
  expect(await received(socket)).toMatch(tooSlow);
  await expect.poll(() => isServed(http), { timeout: 20_000 }).toBe(true);
});

test('connections beyond the limit are closed at once, until one has ended', async () => {
  const { http } = await serving({ maxConnections: 2 });
  const first = dial(http);
  const second = dial(http);
  await Promise.all([once(first, 'connect'), once(second, 'connect')]);
  expect(await received(dial(http))).toBe('');
  first.destroy();
  await expect.poll(() => isServed(http).catch(() => false), { timeout: 20_000 }).toBe(true);
});

test('disconnects a client that does not read its answer, and releases the bytes', async () => {
  const { http, longRan } = await serving({ stalledMs: 300, keepAliveMs: 100, maxWaitingBytes: ANSWER_BYTES });
  const socket = dial(http);
  socket.pause();
  socket.write(head(http, 'long') + body('long'));
  await longRan;
  await expect.poll(() => isServed(http), { timeout: 20_000 }).toBe(true);
});

test('a call without traffic is not stalled, and ends with its connection', async () => {
  const { http, wasAbandoned } = await serving({ stalledMs: 300, keepAliveMs: 100 });
  const socket = dial(http);
  socket.write(head(http, 'never') + body('never'));
  let comments = 0;
  for await (const chunk of socket) {
    comments += String(chunk).split(':\n\n').length - 1;
    if (comments > 10) break; // three times the limit of stalled connections
  }
  await wasAbandoned;
});

test('writes nothing to a stream that has ended, while a response before it on the connection is pending', async () => {
  const { http, release } = await serving({ keepAliveMs: 20 });
  const errors: unknown[] = [];
  const noteError = (error: unknown) => void errors.push(error);
  process.on('uncaughtException', noteError);
  closing.push(() => process.off('uncaughtException', noteError));
  dial(http).write(head(http, 'never') + body('never') + head(http, 'gated') + body('gated'));
  const other = dial(http);
  other.write(head(http, 'never') + body('never'));
  let comments = 0;
  for await (const chunk of other) {
    comments += String(chunk).split(':\n\n').length - 1;
    if (comments > 3) release(); // the stream of the gated call has begun
    if (comments > 10) break;
  }
  expect(errors).toEqual([]);
  expect(await isServed(http)).toBe(true);
});

const hostile: [what: string, request: (http: HttpServing) => string, status: number][] = [
  ['no HTTP', () => '\x16\x03\x01\x02\x00\x01\r\n\r\n', 400],
  ['JSON without HTTP', () => `${body('echo')}\r\n\r\n`, 400],
  ['a header without a name', (http) => head(http, 'echo').replace('\r\n\r\n', '\r\n: x\r\n\r\n'), 400],
  ['a header with a control character', (http) => head(http, 'echo').replace('application/json', 'a\x00b'), 400],
  // Sent in one chunk, because a reset for unread bytes would discard the answer on Windows.
  ['headers of 20 KB', (http) => head(http, 'echo').replace('\r\n\r\n', `\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`), 431],
  [
    'two lengths',
    (http) => head(http, 'echo').replace('\r\n\r\n', '\r\ncontent-length: 3\r\n\r\n') + body('echo'),
    400,
  ],
  [
    'a length and chunks',
    (http) => `${head(http, 'echo').replace('\r\n\r\n', '\r\ntransfer-encoding: chunked\r\n\r\n')}0\r\n\r\n`,
    400,
  ],
  [
    'a chunk without a length',
    (http) => `${head(http, 'echo').replace(/content-length: \d+/, 'transfer-encoding: chunked')}no\r\n\r\n`,
    400,
  ],
  ['no Host', (http) => head(http, 'echo').replace(/host: .*\r\n/, ''), 400],
];

test.each(hostile)('refuses %s, and closes the connection', async (_what, request, status) => {
  const { http } = await serving({});
  const socket = dial(http);
  socket.write(request(http), 'latin1');
  expect(await received(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(await isServed(http)).toBe(true);
});
