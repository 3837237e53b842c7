// A tap in front of a remote server: the HTTP traffic of the host passes unchanged and is recorded without credentials.

import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { Analysis } from '../../src/observe/analysis/analysis.ts';
import type { FlowEvent } from '../../src/observe/flow/event.ts';
import { readRecordings } from '../../src/observe/record/reader.ts';
import { type RunningHttpTap, startHttpTap } from '../../src/observe/tap/http/http-tap.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { lacks } from '../fixtures/windows.ts';
import { freshFile, readEvents, startTap } from './tapped.ts';

const folder = temporaryFolder('http-tap');
let serving: HttpServing;
let files = 0;

beforeAll(async () => {
  const server = new Server({ name: 'remote', version: '1' });
  server.tool('counts', {}, (_, call) => {
    call.progress(1, 2);
    return 'counted';
  });
  serving = await serveHttp(server);
});
afterAll(() => serving.close());

async function tapped(url: string): Promise<RunningHttpTap & { recorded(): Promise<FlowEvent[]>; file: string }> {
  const file = join(folder, `${++files}.jsonl`);
  const tap = await startHttpTap({ url, record: file, announce: false, name: 'remote' }, () => undefined);
  later(() => tap.close());
  const recorded = async () => {
    await tap.close();
    const events: FlowEvent[] = [];
    for await (const item of readRecordings(file)) if (item.type === 'event') events.push(item.event);
    return events;
  };
  return { ...tap, recorded, file };
}

const named = { name: 'host', version: '1' };
const requestInit = () => ({ headers: { authorization: `Bearer ${serving.token}` } });
const legacy = { supportedProtocolVersions: ['2025-11-25'] };

test.each([
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } as const }, 1],
  ['2025-11-25', legacy, 2],
] as const)('the official client of %s uses the server through the tap', async (revision, options, lifeCount) => {
  const tap = await tapped(serving.url);
  const clients = [new Client(named, options), new Client(named, options)];
  for (const client of clients) {
    await client.connect(new StreamableHTTPClientTransport(new URL(tap.address), { requestInit: requestInit() }));
  }
  const sessions: (string | undefined)[] = [];
  for (const client of clients) {
    const progress: unknown[] = [];
    await client.callTool({ name: 'counts' }, { onprogress: (step) => progress.push(step) });
    expect(progress).toHaveLength(1);
    sessions.push((client.transport as StreamableHTTPClientTransport).sessionId);
    await client.close();
  }
  const events = await tap.recorded();
  const analysis = new Analysis();
  for (const event of events) analysis.see(event, 0);
  const lives = analysis.lives.of('remote');
  const known = lives.map(({ remote }) => [remote!.transport, remote!.revision]);
  expect(known).toEqual(Array.from({ length: lifeCount }, () => ['http', revision]));
  const calls = analysis.latency.rows().find(({ method }) => method === 'tools/call');
  expect(calls).toMatchObject({ count: 2, errors: 0 });
  expect(analysis.problems.map(({ kind }) => kind)).toEqual([]);
  expect(events.find((event) => event.kind === 'http')).toMatchObject({
    url: serving.url,
    requestHeaders: expect.stringMatching(/^authorization: \[redacted\]$/im),
  });
  const text = readFileSync(tap.file, 'utf8');
  for (const secret of [serving.token, ...sessions]) if (secret !== undefined) expect(text).not.toContain(secret);
});

test('HTTP+SSE passes through, and is shown as one connection', async () => {
  const tap = await tapped(serving.url);
  const client = new Client(named, { supportedProtocolVersions: ['2024-11-05'] });
  await client.connect(new SSEClientTransport(new URL(tap.address), { requestInit: requestInit() }));
  await client.callTool({ name: 'counts' });
  await client.close();
  const analysis = new Analysis();
  for (const event of await tap.recorded()) analysis.see(event, 0);
  expect(analysis.lives.of('remote')).toMatchObject([{ remote: { transport: 'http+sse', revision: '2024-11-05' } }]);
  expect(analysis.latency.rows().find(({ method }) => method === 'tools/call')).toMatchObject({ count: 1 });
});

test('other requests have the status, headers, bytes and order of the server', async () => {
  const seen: IncomingMessage[] = [];
  const body = Buffer.from([0xff, 0, 1, 2]);
  const url = await serve((request, response) => {
    seen.push(request);
    const headers = [
      'Set-Cookie',
      'a=hunter22',
      'set-cookie',
      'b=hunter22',
      'X-Odd',
      'é',
      'Location',
      `${origin(url)}/next`,
    ];
    request.resume();
    response.writeHead(418, 'Short and stout', headers).end(body);
  });
  const tap = await tapped(`${url}?key=hunter22`);
  const answer = await send(tap.address, { 'X-Twice': ['1', '2'], Cookie: 'c=hunter22' }, '{"not":"a message"}');
  expect([answer.statusCode, answer.statusMessage, answer.body]).toEqual([418, 'Short and stout', body]);
  expect(answer.headers).toMatchObject({ 'set-cookie': ['a=hunter22', 'b=hunter22'], 'x-odd': 'é' });
  expect(answer.headers.location).toBe(`${origin(tap.address)}/next`);
  expect(seen[0]).toMatchObject({ url: '/mcp?key=hunter22', method: 'POST', headers: { 'x-twice': '1, 2' } });
  expect(seen[0]!.headers).toMatchObject({ cookie: 'c=hunter22', host: new URL(url).host });
  await tap.recorded();
  expect(readFileSync(tap.file, 'utf8')).not.toContain('hunter22');
});

test('a response that is cut stays cut, and a host that closes its request closes the request to the server', async () => {
  let isClosed = false;
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"jsonrpc":"2.0","method":"a"}\n\n');
    if (request.method === 'POST') request.resume().on('end', () => request.socket.destroy());
    else
      response.on('close', () => {
        isClosed = true;
      });
  });
  const tap = await tapped(url);
  await expect(send(tap.address, {}, '{}')).rejects.toThrow();
  const open = httpRequest(tap.address, { method: 'GET' });
  open.on('error', () => undefined);
  open.on('response', (response) => response.once('data', () => open.destroy()));
  open.end();
  await until('the request to the server is closed', () => isClosed);
  const ends = (await tap.recorded()).flatMap((event) => (event.kind === 'http' ? (event.end ?? []) : []));
  expect(ends).toEqual(['cut', 'aborted']);
});

test('answers 502 for an unreachable server, and refuses pages of other sites', async () => {
  const url = await serve(() => undefined);
  const tap = await tapped(url.replace(/:\d+/, ':1'));
  expect(await send(tap.address, {}, '{}')).toMatchObject({ statusCode: 502 });
  expect(await send(tap.address, { Origin: 'https://evil.example' }, '{}')).toMatchObject({ statusCode: 403 });
  expect(await send(tap.address, { Host: 'evil.example' }, '{}')).toMatchObject({ statusCode: 403 });
  const events = await tap.recorded();
  expect(events.filter(({ kind }) => kind === 'http')).toMatchObject([{ state: 'failed', end: 'cut' }]);
  const odd = await serve(({ socket }) => socket.end('HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n'));
  expect(await send((await tapped(odd)).address, {}, '{}')).toMatchObject({ statusCode: 502 });
  const switching = await serve(({ socket }) =>
    socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
  );
  expect(await send((await tapped(switching)).address, {}, '{}')).toMatchObject({ statusCode: 502 });
});

test('does not record codes of a login, and tokens that the server repeats', async () => {
  const tap = await tapped(
    await serve((request, response) => {
      const [, token] = request.headers.authorization!.split(' ');
      request.resume();
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ no: token }));
    }),
  );
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'hunter2-code',
    code_verifier: 'hunter2',
  });
  const headers = { authorization: 'Bearer hunter2-token' };
  const response = await fetch(new URL('/token', tap.address), { method: 'POST', headers, body: form });
  expect(await response.json()).toEqual({ no: 'hunter2-token' });
  expect((await tap.recorded()).filter(({ kind }) => kind === 'frame')).toHaveLength(1);
  expect(readFileSync(tap.file, 'utf8')).not.toContain('hunter2');
});

test('refuses a port that is in use, and an address with a password', async () => {
  const url = await serve(() => undefined);
  const port = Number(new URL(url).port);
  await expect(startHttpTap({ url, port }, () => undefined)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  const withPassword = url.replace('://', '://ada:hunter22@');
  await expect(startHttpTap({ url: withPassword }, () => undefined)).rejects.toThrow(/must not contain a user/);
});

test('forwards a body that is too long to be shown unchanged', async () => {
  const lengths: number[] = [];
  const url = await serve(async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += (chunk as Buffer).length;
    lengths.push(length);
    response.end(Buffer.alloc(length));
  });
  const tap = await tapped(url);
  const length = 17 * 1024 * 1024;
  const answer = await send(tap.address, {}, 'x'.repeat(length));
  expect([lengths, answer.body.length]).toEqual([[length], length]);
  const events = await tap.recorded();
  expect(events.filter(({ kind }) => kind === 'frame')).toEqual([]);
  expect(events.filter((event) => event.kind === 'note' && event.text.includes('not shown'))).toHaveLength(2);
});

test.skipIf(lacks.signals)('as a program, it prints its address and runs until a signal', async () => {
  const url = await serve((request, response) => void request.resume().on('end', () => response.end('{}')));
  const file = freshFile();
  const program = startTap([], { tap: ['--url', url, '--record', file] });
  await until('the address is printed', () => program.text.includes('\n'));
  expect(await send(program.text.trim(), {}, '{}')).toMatchObject({ statusCode: 200 });
  program.process.kill('SIGTERM');
  expect(await program.end()).toEqual({ exitCode: 0, signal: null });
  expect((await readEvents(file)).map(({ kind }) => kind)).toEqual([
    'note',
    'remote',
    'frame',
    'http',
    'frame',
    'remote',
  ]);
});

function origin(url: string): string {
  return new URL(url).origin;
}

function send(
  url: string,
  headers: Record<string, string | string[]>,
  body: string,
): Promise<IncomingMessage & { body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(Object.assign(response, { body: Buffer.concat(chunks) })));
    });
    request.end(body);
  });
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
