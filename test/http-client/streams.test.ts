// Event streams: those of requests and that of the server are resumed after a cut, and each event is delivered once.

import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connect } from '../../src/connect/connect.ts';
import { until } from '../fixtures/server.ts';
import { answerEvent, type Exchange, event, type Script, type Scripted, SESSION, scripted } from './scripted-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Collects the streams that the client opens: that of the server, and those that resume another. */
async function connected({ get, ...script }: Script, clock?: ManualClock, options: { maxConcurrent?: number } = {}) {
  const streams: Exchange[] = [];
  const server = await scripted({
    ...script,
    get: (exchange) => {
      streams.push(exchange);
      get?.(exchange);
    },
  });
  closing.push(server.close);
  const client = await connect({ url: server.url, auth: false, clock, ...options }, { revision: '2025-11-25', clock });
  closing.push(() => client.close());
  const logs: unknown[] = [];
  client.onNotification((params) => logs.push(params?.data));
  await until('the client listens', () => streams.length > 0);
  return { server, client, streams, logs };
}

const log = (data: string, id?: string) =>
  event({ jsonrpc: '2.0', method: 'notifications/test', params: { data } }, id);
const lastEventId = ({ request }: Exchange) => request.headers['last-event-id'];
const has405: Script = { get: ({ response }) => void response.writeHead(405).end() };

test('reopens the stream of the server from its last event, and drops repeated events', async () => {
  const { streams, logs } = await connected({
    get: ({ stream, response, request }) => {
      if (request.headers['last-event-id'] === undefined) {
        stream('retry: 1\n\n', log('one', 'e1'), log('two', 'e2'));
        response.end();
      } else stream(log('two', 'e2'), log('three', 'e3'));
    },
  });
  await until('the last has arrived', () => logs.includes('three'));
  expect(logs).toEqual(['one', 'two', 'three']);
  expect(streams.map(lastEventId)).toEqual([undefined, 'e2']);
  expect(streams[1]!.request.headers['mcp-session-id']).toBe(SESSION);
});

class NotedClock extends ManualClock {
  readonly delays: number[] = [];

  override after(delayMs: number, callback: () => void) {
    this.delays.push(delayMs);
    return super.after(delayMs, callback);
  }
}

/** The stream of a call starts with these events and ends; `rest` handles the requests that resume it. */
function cutCall(begin: string[], rest: (exchange: Exchange, call: Exchange, count: number) => void): Script {
  let call: Exchange;
  let count = 0;
  return {
    'tools/call': (exchange) => {
      call = exchange;
      exchange.stream(...begin);
      exchange.response.end();
    },
    get: (exchange) => {
      if (lastEventId(exchange) === undefined) exchange.response.writeHead(405).end();
      else rest(exchange, call, ++count);
    },
  };
}

test('polls for the answer if the server closes a stream after its first event', async () => {
  const { client, streams } = await connected(
    cutCall(['id: p0\nretry: 1\ndata:\n\n'], ({ stream, response }, { message }, count) => {
      stream(count < 3 ? `id: p${count}\ndata:\n\n` : answerEvent(message, 'polled', 'end'));
      response.end();
    }),
  );
  expect(await client.callTool('run')).toMatchObject({ content: [{ text: 'polled' }] });
  expect(streams.map(lastEventId)).toEqual([undefined, 'p0', 'p1', 'p2']);
});

test('does not deliver progress from before the cut again', async () => {
  const progress = ({ params }: Exchange['message'], step: number) =>
    event(
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: tokenOf(params), progress: step } },
      `s${step}`,
    );
  const tokenOf = (params: Record<string, unknown> | undefined) =>
    (params?._meta as { progressToken?: number } | undefined)?.progressToken;
  let call: Exchange;
  const { client } = await connected({
    'tools/call': (exchange) => {
      call = exchange;
      exchange.stream('retry: 1\n\n', progress(exchange.message, 1), progress(exchange.message, 2));
      exchange.response.end('id: s3\ndata: {"half of an ev');
    },
    get: (exchange) => {
      if (lastEventId(exchange) === undefined) return void exchange.response.writeHead(405).end();
      expect(lastEventId(exchange)).toBe('s2');
      exchange.stream(progress(call.message, 2), progress(call.message, 3), answerEvent(call.message, 'done', 's4'));
    },
  });
  const steps: number[] = [];
  await client.callTool('run', {}, { onProgress: ({ progress: step }) => steps.push(step) });
  expect(steps).toEqual([1, 2, 3]);
});

test.each<[string, (exchange: Exchange) => void, RegExp]>([
  ['405', ({ response }) => void response.writeHead(405).end(), /405/],
  ['400', ({ response }) => void response.writeHead(400).end(), /400/],
  ['consecutive failures', ({ request }) => void request.socket.destroy(), /could not be resumed/],
  ['a page', ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('hi'), /text\/html/],
])('a call whose stream cannot be resumed (%s) may have run', async (_, refuse, message) => {
  const { client } = await connected(cutCall(['id: p0\nretry: 1\ndata:\n\n'], refuse));
  await expect(client.callTool('run')).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    message: expect.stringMatching(message),
  });
});

test.each(['ü', 'x'.repeat(2000)])('does not resume a stream with an id that is invalid in a header', async (id) => {
  const { client, streams } = await connected(cutCall([`id: ${id}\nretry: 1\ndata:\n\n`], () => undefined));
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(streams).toHaveLength(1);
});

test('limits a delay to the longest possible timer', async () => {
  const clock = new NotedClock();
  const { client } = await connected(
    cutCall(['id: p0\nretry: 99999999999999\ndata:\n\n'], () => undefined),
    clock,
  );
  const call = client.callTool('run').catch((error) => error);
  await until('it waits', () => clock.delays.includes(2 ** 31 - 1));
  await client.close();
  expect(await call).toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('retries a stream that is temporarily unavailable, and calls continue', async () => {
  const clock = new NotedClock();
  let asked = 0;
  const { streams, client, logs } = await connected(
    {
      get: ({ stream, response }) => {
        if (++asked < 8) response.writeHead(503).end();
        else stream(log('at last'));
      },
    },
    clock,
  );
  while (streams.length < 8) {
    const count = streams.length;
    const waitMs = Math.min(2 ** count * 1000, 30_000);
    await until('it waits', () => clock.delays.includes(waitMs));
    await client.callTool('run');
    clock.delays.length = 0;
    clock.advance(waitMs);
    await until('it is requested again', () => streams.length === count + 1);
  }
  await until('it is there', () => logs.includes('at last'));
});

test('increases the delay for a stream that repeatedly ends at once', async () => {
  const clock = new NotedClock();
  const { streams } = await connected(
    {
      get: ({ stream, response }) => {
        stream();
        response.end();
      },
    },
    clock,
  );
  for (const waitMs of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const count = streams.length;
    await until('it waits', () => clock.delays.includes(waitMs));
    clock.delays.length = 0;
    clock.advance(waitMs);
    await until('it is opened again', () => streams.length === count + 1);
  }
});

test('a session that ends during the resumption of a stream is replaced, and the call is not repeated', async () => {
  const { client, server } = await connected(
    cutCall(['id: p0\nretry: 1\ndata:\n\n'], ({ response }) => void response.writeHead(404).end()),
  );
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await until('there is a new session', () => sent(server, 'notifications/initialized') === 2);
  expect(sent(server, 'tools/call')).toBe(1);
});

test('waits as long as the server requests, and a call that is cancelled meanwhile leaves no timer', async () => {
  const clock = new NotedClock();
  const { client, server, streams } = await connected(
    cutCall(['id: p0\nretry: 5000\ndata:\n\n'], () => undefined),
    clock,
  );
  const abort = new AbortController();
  const call = client.callTool('run', {}, { signal: abort.signal, timeoutMs: 60_000 });
  await until('it waits for the next connection', () => clock.delays.includes(5_000));
  clock.advance(4_999);
  expect(streams).toHaveLength(1);
  clock.advance(1);
  await until('it is resumed', () => streams.length === 2);
  abort.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await until('it is cancelled', () => server.seen.some(({ what }) => what === 'notifications/cancelled'));
  await until('the stream is closed', () => streams[1]!.request.socket.destroyed);
});

test('a server that becomes unreachable ends the connection', async () => {
  const { client, streams, server } = await connected({ get: ({ stream }) => stream('retry: 1\n\n') });
  expect(streams).toHaveLength(1);
  await server.close();
  expect(await client.closed).toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: expect.stringContaining('cannot be reached'),
  });
});

test('limits concurrent answers to a flood of questions without dropping any', async () => {
  const questions = 3000;
  const held: Exchange[] = [];
  let mostHeld = 0;
  let answered = 0;
  let isHolding = true;
  const { streams } = await connected({
    get: ({ stream }) => {
      const pings = Array.from({ length: questions }, (_, id) => event({ jsonrpc: '2.0', id, method: 'ping' }));
      stream(...pings);
    },
    answer: (exchange) => {
      answered++;
      held.push(exchange);
      mostHeld = Math.max(mostHeld, held.length);
      if (isHolding && held.length < 64) return;
      isHolding = false;
      for (const { response } of held.splice(0)) response.writeHead(202).end();
    },
  });
  await until('all are answered', () => answered === questions, 200_000); // 3,000 requests, which take minutes on a busy machine in Wine
  expect(mostHeld).toBe(64);
  expect(streams).toHaveLength(1);
});

test('closes a stream of a request that stays open after the answer', async () => {
  const clock = new ManualClock();
  let call: Exchange | undefined;
  const { client } = await connected(
    {
      ...has405,
      'tools/call': (exchange) => {
        call = exchange;
        exchange.stream(answerEvent(exchange.message, 'early'));
      },
    },
    clock,
  );
  await client.callTool('run');
  clock.advance(10_000);
  await until('it is closed', () => call!.request.socket.destroyed);
});

test('accepts an answer on the stream of the server, and closes the response to its request', async () => {
  const clock = new ManualClock();
  const [listening, calls]: [Exchange[], Exchange[]] = [[], []];
  const { client } = await connected(
    {
      get: (exchange) => {
        listening.push(exchange);
        exchange.stream();
      },
      'tools/call': (exchange) => {
        calls.push(exchange);
        exchange.stream();
        listening[0]!.response.write(answerEvent(exchange.message, 'elsewhere'));
      },
    },
    clock,
  );
  expect(await client.callTool('run')).toMatchObject({ content: [{ text: 'elsewhere' }] });
  clock.advance(10_000);
  await until('it is closed', () => calls[0]!.request.socket.destroyed);
});

function sent(server: Scripted, method: string): number {
  return server.seen.filter(({ what }) => what === method).length;
}

test('ignores an answer to a queued call, because the server guessed its id', async () => {
  const calls: Exchange[] = [];
  const errors: string[] = [];
  const { client, streams } = await connected(
    { get: ({ stream }) => stream(), 'tools/call': (exchange) => calls.push(exchange) },
    undefined,
    { maxConcurrent: 1 },
  );
  client.transport.onerror = ({ message }) => errors.push(message);
  const both = [client.callTool('first'), client.callTool('second')];
  await until('the first one has arrived', () => calls.length === 1);
  const next = { ...calls[0]!.message, id: calls[0]!.message.id! + 1 };
  streams[0]!.response.write(answerEvent(next, 'guessed', 'g1'));
  await until('the answer is refused', () => errors.length === 1);
  expect(errors).toEqual([expect.stringContaining('tools/call before it was sent')]);
  calls[0]!.answer({ content: [{ type: 'text', text: 'one' }] });
  await until('the second one has arrived', () => calls.length === 2);
  calls[1]!.answer({ content: [{ type: 'text', text: 'two' }] });
  expect((await Promise.all(both)).map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'one' }],
    [{ type: 'text', text: 'two' }],
  ]);
});
