// The state that a client of 2026-07-28 holds while its call is suspended: valid for one use, one principal, one request, a limited time,
// and one process run of the gateway. Other states are refused, and do not affect a suspended call.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { type HttpHandler, type HttpHandlerOptions, httpHandler } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Answer {
  result?: { resultType?: string; requestState?: string; inputRequests?: object; content?: { text: string }[] };
  error?: { code: number; message: string; data?: object };
}

/** A header names the principal; a real application verifies it. */
async function start(options: HttpHandlerOptions = {}) {
  const runs: string[] = [];
  const server = new Server({ name: 'asks', version: '1.0.0' });
  const input = { type: 'object', properties: { city: { type: 'string' } } };
  server.tool('book', { input }, async ({ city }, call) => {
    runs.push(`${city} begins`);
    const { action } = await call.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
    runs.push(`${city} ends`);
    return `${city}: ${action}`;
  });
  const begin = (): HttpHandler => {
    const handler = httpHandler(server, options);
    closing.push(() => handler.close());
    return handler;
  };
  let handler = begin();
  const listener = createServer((request, response) => {
    const name = request.headers['x-principal'] as string | undefined;
    handler.node(request, response, name === undefined ? {} : { principal: { name } });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  closing.push(() => listener.close().closeAllConnections());
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const post = async (principal: string | undefined, params: object, method = 'tools/call'): Promise<Answer> => {
    const name = (params as { name?: string; uri?: string }).name ?? (params as { uri?: string }).uri;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
        ...(principal !== undefined && { 'x-principal': principal }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      }),
    });
    return (await response.json()) as Answer;
  };
  const book = (principal: string | undefined, city: string, more: object = {}) =>
    post(principal, { name: 'book', arguments: { city }, ...more });
  /** Makes a call. Resolves to its state and to answers for its questions. */
  const park = async (principal: string | undefined, city: string) => {
    const { result } = await book(principal, city);
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const inputResponses = Object.fromEntries(
      Object.keys(result!.inputRequests!).map((name) => [name, { action: 'accept', content: {} }]),
    );
    return { requestState: result!.requestState!, inputResponses };
  };
  const restart = () => {
    handler = begin();
  };
  return { runs, post, book, park, restart };
}

const unknown = { error: { code: -32602, data: { requestState: 'unknown' } } };
const done = (city: string) => ({ result: { content: [{ text: `${city}: accept` }] } });

test('another or an unnamed principal gets the answer for an unknown state', async () => {
  const { book, park, runs } = await start();
  const state = await park('ada', 'Oslo');
  const made = { ...state, requestState: state.requestState.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
  const nothing = await book('grace', 'Oslo', made);
  expect(nothing).toMatchObject(unknown);
  expect(await book('grace', 'Oslo', state)).toEqual(nothing);
  expect(await book(undefined, 'Oslo', state)).toEqual(nothing);
  // The same in the other direction.
  const unnamed = await park(undefined, 'Rome');
  expect(await book('ada', 'Rome', unnamed)).toMatchObject(unknown);
  expect(await book(undefined, 'Rome', unnamed)).toMatchObject(done('Rome'));
  expect(await book('ada', 'Oslo', state)).toMatchObject(done('Oslo'));
  expect(runs).toEqual(['Oslo begins', 'Rome begins', 'Rome ends', 'Oslo ends']);
});

test('an altered state is refused, and the call stays suspended', async () => {
  const { book, park } = await start();
  const state = await park('ada', 'Oslo');
  const [run, key] = state.requestState.split('.') as [string, string];
  const altered: unknown[] = [
    ...Array.from(key, (digit, at) => `${run}.${key.slice(0, at)}${digit === 'f' ? '0' : 'f'}${key.slice(at + 1)}`),
    `${run}.${key.toUpperCase()}`,
    `${run}.${key}.`,
    `${run}.${key}0`,
    `${run}. ${key}`,
    `${run}`,
    `.${key}`,
    key,
    '',
    '__proto__.constructor',
    `${run}.__proto__`,
    'x'.repeat(100_000),
    7,
    null,
    {},
    [state.requestState],
    true,
  ].filter((each) => each !== state.requestState);
  for (const requestState of altered) {
    expect({ requestState, answer: await book('ada', 'Oslo', { ...state, requestState }) }).toMatchObject({
      requestState,
      answer: unknown,
    });
  }
  expect(await book('ada', 'Oslo', state)).toMatchObject(done('Oslo'));
});

test('a state is valid for one use, also if it is used twice concurrently', async () => {
  const { book, park, runs } = await start();
  const state = await park('ada', 'Oslo');
  const both = await Promise.all([book('ada', 'Oslo', state), book('ada', 'Oslo', state)]);
  const [refused, ...others] = both.sort((a, b) => Number('result' in a) - Number('result' in b));
  expect(refused).toMatchObject(unknown);
  expect(others).toMatchObject([done('Oslo')]);
  expect(await book('ada', 'Oslo', state)).toMatchObject(unknown);
  expect(runs).toEqual(['Oslo begins', 'Oslo ends']);
});

test('a state is valid for its own request only', async () => {
  const { book, post, park, runs } = await start();
  const state = await park('ada', 'Oslo');
  const other = { error: { code: -32602, message: expect.stringContaining('belongs to another request') } };
  expect(await book('ada', 'Rome', state)).toMatchObject(other);
  expect(await post('ada', { name: 'other', arguments: { city: 'Oslo' }, ...state })).toMatchObject(other);
  expect(await post('ada', { name: 'book', arguments: { city: 'Oslo' }, more: 1, ...state })).toMatchObject(other);
  expect(await post('ada', { uri: 'mem://x', ...state }, 'resources/read')).toMatchObject(other);
  // The state of one call with the answers and parameters of another call of the same principal.
  const second = await park('ada', 'Rome');
  expect(await book('ada', 'Rome', { ...second, requestState: state.requestState })).toMatchObject(other);
  expect(
    await book('ada', 'Oslo', { requestState: state.requestState, inputResponses: { 'input-1': 7 } }),
  ).toMatchObject({
    error: { code: -32602 },
  });
  expect(await book('ada', 'Oslo', state)).toMatchObject(done('Oslo'));
  expect(await book('ada', 'Rome', second)).toMatchObject(done('Rome'));
  expect(runs.filter((each) => each.endsWith('begins'))).toEqual(['Oslo begins', 'Rome begins']);
});

test('a state expires', async () => {
  const clock = new ManualClock();
  const { book, park, runs } = await start({ clock, askTimeoutMs: 60_000 });
  const state = await park('ada', 'Oslo');
  clock.advance(59_999);
  const later = await park('ada', 'Rome');
  clock.advance(1);
  expect(await book('ada', 'Oslo', state)).toMatchObject(unknown);
  expect(await book('ada', 'Rome', later)).toMatchObject(done('Rome'));
  expect(runs).toEqual(['Oslo begins', 'Rome begins', 'Rome ends']);
});

test('a state of an earlier run is refused', async () => {
  const { book, park, restart } = await start();
  const state = await park('ada', 'Oslo');
  restart();
  expect(await book('ada', 'Oslo', state)).toMatchObject({
    error: { ...unknown.error, message: expect.stringContaining('an earlier run') },
  });
});

test('a principal with too many suspended calls loses its own oldest ones, not those of others', async () => {
  const { book, park } = await start({ maxSuspended: 5 });
  const state = await park('ada', 'Oslo');
  const parked = [];
  for (let at = 0; at < 10; at++) parked.push(await park('flood', `${at}`));
  expect(await book('flood', '0', parked[0])).toMatchObject(unknown);
  expect(await book('flood', '9', parked[9])).toMatchObject(done('9'));
  expect(await book('ada', 'Oslo', state)).toMatchObject(done('Oslo'));
});
