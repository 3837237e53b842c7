// The view of an observer of a remote server: messages with their HTTP requests, without credentials.

import { createServer, type Server as HttpServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { decodeText } from '../../src/base/decode-text.ts';
import { connect } from '../../src/connect/connect.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { Analysis } from '../../src/observe/analysis/analysis.ts';
import type { FlowEvent } from '../../src/observe/flow/event.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { EventLines } from '../../src/observe/record/event-line.ts';
import { HttpClientTransport } from '../../src/wire/transport/http/http-client.ts';
import type { WireObserver } from '../../src/wire/wire.ts';
import { until } from '../fixtures/server.ts';

let serving: HttpServing;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const server = new Server({ name: 'remote', version: '1' });
  server.tool('echo', {}, () => 'echoed');
  server.tool('counts', {}, (_, call) => {
    call.progress(1, 2);
    return 'counted';
  });
  serving = await serveHttp(server);
});

afterAll(() => serving.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function watched() {
  const store = new FlowStore();
  const analysis = new Analysis();
  store.subscribe((event) => analysis.see(event, 0));
  const events = <K extends FlowEvent['kind']>(kind: K) =>
    store.since(0).filter((event): event is FlowEvent & { kind: K } => event.kind === kind);
  return { store, analysis, events, source: store.begin('remote') };
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  'an observer sees messages with their HTTP requests, in %s',
  async (revision) => {
    const { store, analysis, events, source } = watched();
    const headers = { authorization: `Bearer ${serving.token}`, 'x-tenant': 'tenant-of-ada' };
    const client = await connect({ url: serving.url, headers, observer: source }, { revision });
    await client.callTool('counts', {}, { onProgress: () => undefined });
    await client.close();

    const [call] = events('frame').filter(({ payload }) => decodeText(payload).includes('tools/call'));
    const ofCall = store.since(call!.seq - 1).filter((event) => 'exchange' in event || ('http' in event && event.http));
    const numberOf = (event: FlowEvent) =>
      event.kind === 'http' ? event.exchange : (event as typeof call)!.http!.exchange;
    const exchange = ofCall.filter((event) => numberOf(event) === call!.http!.exchange);
    expect(exchange.map((event) => (event.kind === 'http' ? event.state : (event as typeof call)!.direction))).toEqual([
      'toServer',
      'answered',
      'fromServer',
      'fromServer',
      'ended',
    ]);
    expect(exchange[1]).toMatchObject({ method: 'POST', status: 200, body: 'stream', waitMs: expect.any(Number) });
    expect(exchange[1]).toMatchObject({
      requestHeaders: expect.stringMatching(/^authorization: \[redacted\]\nx-tenant: \[redacted\]$/m),
      responseHeaders: expect.stringMatching(/^content-type: text\/event-stream/m),
    });
    expect(exchange[4]).toMatchObject({ end: 'complete' });

    const [life] = analysis.lives.of('remote');
    expect(life).toMatchObject({ remote: { url: serving.url, transport: 'http', needsLogin: false } });
    expect(life!.endedAtMs).toBeDefined();
    expect(analysis.problems).toEqual([]);
    const session = life!.remote!.session;
    if (revision === '2025-11-25') expect(session).toMatch(/^.{6}…$/);
    else expect(session).toBeUndefined();
    expect(analysis.latency.rows().map(({ method }) => method)).toContain('tools/call');

    const lines = new EventLines('r');
    const recorded = store
      .since(0)
      .map((event) => lines.encode(event))
      .join('\n');
    for (const secret of [serving.token, 'tenant-of-ada', client.transport.sessionId]) {
      if (secret !== undefined) expect(recorded).not.toContain(secret);
    }
  },
);

test('a redirected request is one message, and a resumed stream delivers its answer', async () => {
  const { analysis, events, source } = watched();
  const answer = (response: ServerResponse) =>
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })}\n\n`);
  const url = await serve((request, response) => {
    request.resume();
    if (request.url === '/mcp') return void response.writeHead(307, { location: '/moved?key=hunter22' }).end('moved');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (request.method === 'GET') answer(response);
    else response.end('id: 7\nretry: 1\ndata:\n\n');
  });
  const transport = new HttpClientTransport({ url, observer: source });
  await transport.start();
  const answered = new Promise((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await answered;
  await transport.close();
  const began = events('http').filter(({ state }) => state === 'answered');
  expect(began).toMatchObject([
    {
      exchange: 1,
      method: 'POST',
      status: 307,
      responseHeaders: expect.stringContaining('location: /moved?key=[redacted]'),
    },
    { exchange: 2, method: 'POST', status: 200, repeats: 1, url: expect.stringContaining('/moved?key=[redacted]') },
    { exchange: 3, method: 'GET', status: 200, requestHeaders: expect.stringMatching(/^last-event-id: 7$/im) },
  ]);
  expect(events('frame').map(({ direction, http }) => [direction, http!.exchange])).toEqual([
    ['toServer', 1],
    ['fromServer', 3],
  ]);
  expect(analysis.exchangesOf(events('frame')[0]!.seq)).toMatchObject([{ outcome: 'ok', method: 'ping' }]);
  expect(analysis.lives.of('remote')[0]!.remote).toMatchObject({ requests: 3, failures: 0, resumptions: 1 });
  expect(analysis.problems).toEqual([]);
});

test('a stream that this side closes is not reported as cut', async () => {
  const { analysis, events, source } = watched();
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    request.on('data', (body: Buffer) => {
      if (body.toString().includes('cut')) setImmediate(() => request.socket.destroy());
    });
  });
  const transport = new HttpClientTransport({
    url,
    observer: source,
  });
  transport.onlost = () => undefined;
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'cut' });
  await until('the stream is cut', () => events('http').some(({ end }) => end === 'cut'));
  await transport.send({ jsonrpc: '2.0', id: 2, method: 'waits' });
  await until('the headers are there', () =>
    events('http').some(({ state, exchange }) => state === 'answered' && exchange === 2),
  );
  await transport.close();
  await until('the stream is closed', () => events('http').some(({ end }) => end === 'aborted'));
  expect(analysis.problems.map(({ kind }) => kind)).toEqual(['stream-cut']);
});

test.each([
  ['login-needed', 401, 'text/plain', 'no'],
  ['http-error', 502, 'text/html', '<h1>Bad gateway</h1>'],
  ['wrong-content-type', 200, 'text/html', '<h1>Welcome</h1>'],
] as const)('%s is a problem of a remote server', async (kind, status, type, body) => {
  const { analysis, events, source } = watched();
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type, 'set-cookie': 'id=hunter22' }).end(body);
  });
  await expect(connect({ url, observer: source }, { revision: '2025-11-25' })).rejects.toThrow();
  expect(analysis.problems.map((problem) => problem.kind)).toContain(kind);
  expect(analysis.problems[0]!.explanation).toContain(`HTTP ${status}`);
  expect(analysis.exchangesOf(events('frame')[0]!.seq)[0]).toMatchObject({ method: 'initialize' });
  expect(events('http')[0]!.responseHeaders).toContain('set-cookie: [redacted]');
});

test('an address without a server is a problem, and its request is lost', async () => {
  const { analysis, events, source } = watched();
  const url = await serve(() => undefined);
  await closing.pop()!();
  await expect(connect({ url, observer: source }, { revision: '2025-11-25' })).rejects.toThrow();
  await until('the failure is seen', () => events('http').length > 0);
  expect(analysis.problems.map(({ kind }) => kind)).toContain('unreachable');
  expect(events('http')[0]).toMatchObject({
    state: 'failed',
    end: 'cut',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});

test('an observer that throws, or that knows only messages, does not affect the traffic', async () => {
  const fails = () => {
    throw new Error('broken view');
  };
  const texts: string[] = [];
  const observers: WireObserver[] = [
    { connected: fails, learned: fails, exchange: fails, disconnected: fails },
    { exchange: () => ({ first: 1, sent: fails, answered: fails, received: fails, ended: fails }) },
    { sent: (text) => texts.push(text), received: (bytes) => texts.push(decodeText(bytes)) },
  ];
  for (const observer of observers) {
    const client = await connect({ url: serving.url, headers: { authorization: `Bearer ${serving.token}` }, observer });
    expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'echoed' }] });
    await client.close();
  }
  expect(texts.join('\n')).toMatch(/"tools\/call"[\s\S]*echoed/);
});

async function serve(listener: RequestListener): Promise<string> {
  const server: HttpServer = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
