// Suspended handlers of 2026-07-28, whose client answers a question: how long they exist, and which connection receives
// their messages.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { Call } from '../../src/mcp/server/call.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { RawClient, resultOf } from './raw-client.ts';

const info = { name: 'asks', version: '1.0.0' };
const canBeAsked = { roots: {} };
const META = { progressToken: 'token', 'io.modelcontextprotocol/logLevel': 'info' };

function asking(options: object = {}, handler = ask) {
  const clock = new ManualClock();
  const server = new Server(info, { clock, askTimeoutMs: 60_000, ...options });
  const calls: Call[] = [];
  server.tool('ask', {}, async (_args, call) => {
    calls.push(call);
    return handler(call);
  });
  return { server, clock, calls };
}

async function ask(call: Call): Promise<string> {
  await call.roots();
  call.progress(1);
  call.log('info', 'goes on');
  await call.roots();
  return 'done';
}

const send = (client: RawClient, more: object = {}) =>
  client.modern('tools/call', { name: 'ask', ...more }, canBeAsked, META);
const stateOf = async (client: RawClient, more: object = {}) =>
  resultOf<{ requestState: string }>(await send(client, more)).requestState;
const answering = (requestState: string, input: number) => ({
  requestState,
  inputResponses: { [`input-${input}`]: { roots: [] } },
});
const aborted = (call: Call | undefined) =>
  new Promise<unknown>((resolve) => {
    const { signal } = call!;
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });

test('a suspended handler is aborted when its client closes the connection', async () => {
  const questions: Promise<unknown>[] = [];
  const { server, calls } = asking({}, async (call) => {
    questions.push(call.roots());
    await questions[0];
    return 'never';
  });
  const client = await RawClient.connect(server);
  await stateOf(client);
  client.end();
  expect(await aborted(calls[0])).toMatchObject({ code: 'INPUT_NOT_GIVEN' });
  await expect(questions[0]).rejects.toMatchObject({ code: 'INPUT_NOT_GIVEN' });
  // It cannot be suspended again either.
  await expect(calls[0]!.roots()).rejects.toMatchObject({ code: 'INPUT_NOT_GIVEN' });
});

test('a call that is resumed on another connection belongs to it: its notifications go there, and it ends with it', async () => {
  const { server, calls } = asking();
  const [first, second] = [await RawClient.connect(server), await RawClient.connect(server)];
  const state = await stateOf(first);
  await stateOf(second, answering(state, 1));
  for (const method of ['notifications/progress', 'notifications/message']) {
    expect(second.received.filter((message) => message.method === method)).toHaveLength(1);
    expect(first.received.filter((message) => message.method === method)).toHaveLength(0);
  }
  first.end();
  await first.closed;
  expect(calls[0]!.signal.aborted).toBe(false);
  second.end();
  expect(await aborted(calls[0])).toMatchObject({ code: 'INPUT_NOT_GIVEN' });
});

test('with orphanedMs a suspended handler waits that long for another connection', async () => {
  const { server, clock, calls } = asking({ orphanedMs: 1000 });
  const lost = await RawClient.connect(server);
  const states = [await stateOf(lost), await stateOf(lost)];
  lost.end();
  await lost.closed;
  clock.advance(999);
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  const client = await RawClient.connect(server);
  const next = await stateOf(client, answering(states[0]!, 1));
  clock.advance(1);
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  expect(resultOf(await send(client, answering(next, 2)))).toMatchObject({ content: [{ text: 'done' }] });
  expect(await send(client, answering(states[1]!, 1))).toMatchObject({ error: { code: -32602 } });
});

test('a handler that has ended is not suspended again, whatever questions it sends and leaves pending', async () => {
  const { server, clock, calls } = asking({}, async (call) => {
    call.roots().catch(() => undefined);
    return 'done';
  });
  const client = await RawClient.connect(server);
  const requestState = await stateOf(client);
  expect(resultOf(await send(client, { requestState }))).toMatchObject({ content: [{ text: 'done' }] });
  await expect(calls[0]!.roots()).rejects.toMatchObject({ code: 'INPUT_NOT_GIVEN' });
  clock.advance(60_001);
  expect(calls[0]!.signal.aborted).toBe(false);
});

test('reports no progress after the answer or while the handler is suspended', async () => {
  const { server, calls } = asking();
  const client = await RawClient.connect(server);
  const progress = () => client.received.filter(({ method }) => method === 'notifications/progress').length;
  const state = await stateOf(client);
  calls[0]!.progress(0.5);
  const next = await stateOf(client, answering(state, 1));
  expect(progress()).toBe(1);
  await send(client, answering(next, 2));
  calls[0]!.progress(2);
  await send(client);
  expect(progress()).toBe(1);
});

test('a first request with answers gets no question for them: each answers one question of its name', async () => {
  const { server } = asking({}, async (call) => {
    const [first] = await Promise.all([call.roots({ name: 'first' }), call.roots()]);
    const again = await call.roots({ name: 'first' });
    return JSON.stringify([first, again]);
  });
  const client = await RawClient.connect(server);
  const root = (uri: string) => ({ roots: [{ uri }] });
  const inputResponses = { first: root('file:///early'), 'input-1': root('file:///unasked'), other: 7 };
  const one = resultOf<{ inputRequests: object; requestState: string }>(await send(client, { inputResponses }));
  expect(Object.keys(one.inputRequests)).toEqual(['input-1']);
  const { requestState, inputRequests } = resultOf<typeof one>(await send(client, answering(one.requestState, 1)));
  expect(Object.keys(inputRequests)).toEqual(['first']);
  const last = await send(client, { requestState, inputResponses: { first: root('file:///late') } });
  expect(resultOf(last)).toMatchObject({
    content: [{ text: JSON.stringify([[{ uri: 'file:///early' }], [{ uri: 'file:///late' }]]) }],
  });
});

test('refuses a first request with an invalid answer', async () => {
  const { server } = asking({}, async (call) => JSON.stringify(await call.roots({ name: 'first' })));
  const client = await RawClient.connect(server);
  expect(await send(client, { inputResponses: { first: 7 } })).toMatchObject({ error: { code: -32602 } });
  expect(resultOf(await send(client, { inputResponses: null }))).toMatchObject({ resultType: 'input_required' });
});
