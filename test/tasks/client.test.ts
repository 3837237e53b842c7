// A client with servers that handle tasks in unusual or wrong ways.

import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { connect } from '../../src/connect/connect.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { RELATED_TASK } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import type { Caller, Params, Result, Service, Watcher } from '../../src/mcp/service.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';

type Answer = Result | Error;

const at = new Date(0).toISOString();
const task = (status: string, more: object = {}): Result => ({
  taskId: 't',
  status,
  createdAt: at,
  lastUpdatedAt: at,
  ttlMs: null,
  ...more,
});
const done = task('completed', { result: { content: [{ type: 'text', text: 'done' }] } });
const question = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: {} } },
});

/**
 * Answers a call with a task, and each `tasks/get` with the next of `states`, repeating the last one. Without states it
 * answers no other request.
 */
async function serving(states: Answer[], options: ClientOptions = {}, watch?: Service['watch']) {
  const sent: [method: string, params: Params][] = [];
  const signals: Caller['signal'][] = [];
  const service: Service = {
    describe: () => ({ info: { name: 'scripted', version: '1' }, capabilities: { tools: {} } }),
    async request(method, params, caller) {
      sent.push([method, params]);
      signals.push(caller.signal);
      if (method === 'tools/call') return { resultType: 'task', ...task('working', { pollIntervalMs: 0 }) };
      if (states.length === 0) return new Promise<never>(() => undefined);
      if (method !== 'tasks/get') return {};
      const state = states.length > 1 ? states.shift()! : states[0]!;
      if (state instanceof Error) throw state;
      return state;
    },
    notify: () => undefined,
    watch: watch ?? (() => Promise.reject(new Error('no notifications'))),
  };
  const client = await clientOf(service, options);
  return { client, sent, signals, methods: () => sent.map(([method]) => method) };
}

const elicit = () => ({ action: 'accept' as const, content: {} });

test('polls until the task has ended', async () => {
  const { client, methods } = await serving([task('working'), task('working', { pollIntervalMs: 0 }), done]);
  expect(await client.callTool('any')).toEqual({ content: [{ type: 'text', text: 'done' }] });
  expect(methods()).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/get']);
});

test('keeps the members of a state, with texts of at most 1,024 characters', async () => {
  const long = task('working', { statusMessage: 'x'.repeat(5000), pollIntervalMs: 5, ttlMs: 7, junk: 'y', _meta: {} });
  const { client } = await serving([{ resultType: 'complete', ...long }]);
  const handle = await client.callTool('any', {}, { task: 'handle' });
  expect(await handle.status()).toEqual({
    ...task('working'),
    statusMessage: 'x'.repeat(1024),
    pollIntervalMs: 5,
    ttlMs: 7,
  });
});

test('answers a question once although the server writes its members in another order', async () => {
  const { method, params } = question('a');
  const { requestedSchema, message } = params;
  const states = [
    task('input_required', { inputRequests: { k: { method, params } }, pollIntervalMs: 0 }),
    task('input_required', {
      inputRequests: { k: { params: { requestedSchema, message }, method } },
      pollIntervalMs: 0,
    }),
    done,
  ];
  const { client, methods } = await serving(states, { elicit });
  expect(await client.callTool('any')).toEqual({ content: [{ type: 'text', text: 'done' }] });
  expect(methods().filter((each) => each === 'tasks/update')).toHaveLength(1);
});

test('answers a question once although each poll repeats it', async () => {
  const asking = task('input_required', { inputRequests: { a: question('A?') }, pollIntervalMs: 0 });
  const both = task('input_required', { inputRequests: { a: question('A?'), b: question('B?') }, pollIntervalMs: 0 });
  const { client, sent } = await serving([asking, asking, both, both, done], { elicit });
  await client.callTool('any');
  const updates = sent.filter(([method]) => method === 'tasks/update').map(([, params]) => params.inputResponses);
  expect(updates).toEqual([{ a: elicit() }, { b: elicit() }]);
});

describe('fails and cancels the task', () => {
  test('if a question has no handler', async () => {
    const { client, methods } = await serving([task('input_required', { inputRequests: { a: question('A?') } })]);
    await expect(client.callTool('any')).rejects.toMatchObject({ rpcCode: -32021 });
    expect(methods().at(-1)).toBe('tasks/cancel');
  });

  test('if the handler of a question fails', async () => {
    const failing = () => Promise.reject(new Error('the window was closed'));
    const states = [task('input_required', { inputRequests: { a: question('A?') }, pollIntervalMs: 0 })];
    const { client, methods } = await serving(states, { elicit: failing });
    await expect(client.callTool('any')).rejects.toThrow('the window was closed');
    expect(methods().at(-1)).toBe('tasks/cancel');
  });
});

describe('fails with RESULT_INVALID', () => {
  test.each([
    [
      'if a key is used for two questions',
      [
        task('input_required', { inputRequests: { a: question('A?') }, pollIntervalMs: 0 }),
        task('input_required', { inputRequests: { a: question('B?') } }),
      ],
    ],
    ['if a question is not an object', [task('input_required', { inputRequests: { a: 'A?' } })]],
    ['if a completed task has no result', [task('completed')]],
    ['if the result of a task is not an object', [task('completed', { result: 'x' })]],
    ['if the error of a task is not an error', [task('failed', { error: 'x' })]],
    ['if a task has an unknown status', [task('sleeping')]],
    ['if the answer is not a task', [{}]],
    ['if the id of the task is very long', [task('working', { taskId: 't'.repeat(5000) })]],
  ])('%s', async (_why, states) => {
    const { client } = await serving(states, { elicit });
    await expect(client.callTool('any')).rejects.toMatchObject({ code: 'RESULT_INVALID' });
  });
});

describe('a poll without an answer', () => {
  const silence = () => new PeerError('REQUEST_TIMEOUT', 'no answer');

  test('is repeated', async () => {
    const { client } = await serving([silence(), silence(), silence(), silence(), done]);
    expect(await client.callTool('any')).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('fails the call after the fifth consecutive one, without cancelling the task', async () => {
    const { client, methods } = await serving([silence()]);
    await expect(client.callTool('any')).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    expect(methods().filter((method) => method === 'tasks/get')).toHaveLength(5);
    expect(methods()).not.toContain('tasks/cancel');
  });

  test.each(['signal', 'totalTimeoutMs'])('is cancelled by %s, which also cancels the task', async (by) => {
    const clock = new ManualClock();
    const { client, methods, signals } = await serving([], { clock });
    const abort = new AbortController();
    const result = client.callTool('any', {}, by === 'signal' ? { signal: abort.signal } : { totalTimeoutMs: 500_000 });
    await expect
      .poll(() => {
        clock.advance(10);
        return methods().at(-1);
      })
      .toBe('tasks/get');
    if (by === 'signal') abort.abort(new Error('enough'));
    else clock.advance(500_000);
    await expect.poll(() => methods().at(-1)).toBe('tasks/cancel');
    expect(signals[1]!.aborted).toBe(true);
    clock.advance(1000); // the server does not answer tasks/cancel either
    await expect(result).rejects.toThrow(by === 'signal' ? 'enough' : 'did not end within 500000 ms');
  });
});

test('a notification ends the wait for the next poll', async () => {
  const clock = new ManualClock();
  let watcher: Watcher | undefined;
  let isStopped = false;
  const watch = async (given: Watcher) => {
    watcher = given;
    given.accepted?.({ taskIds: ['t'] });
    return () => {
      isStopped = true;
    };
  };
  const { client, methods } = await serving([task('working', { pollIntervalMs: 0 })], { clock }, watch);
  const result = client.callTool('any');
  await expect
    .poll(() => {
      if (!watcher) clock.advance(10);
      return watcher?.filter;
    })
    .toEqual({ further: { taskIds: ['t'] } });
  const polls = methods().length;
  watcher!.notified('notifications/tasks', done);
  expect(await result).toMatchObject({ content: [{ text: 'done' }] });
  expect(methods()).toHaveLength(polls);
  expect(isStopped).toBe(true);
});

test('a handle returns questions without a handler to the program', async () => {
  const asking = task('input_required', { inputRequests: { a: question('A?') }, pollIntervalMs: 0 });
  const states: Answer[] = [asking];
  const { client, sent } = await serving(states);
  const handle = await client.callTool('any', {}, { task: 'handle' });
  const result = handle.result();
  await expect.poll(async () => Object.keys((await handle.status()).inputRequests ?? {})).toEqual(['a']);
  await handle.answer({ a: { action: 'decline' } });
  states.splice(0, 1, done);
  expect(await result).toMatchObject({ content: [{ text: 'done' }] });
  expect(sent).toContainEqual(['tasks/update', { taskId: 't', inputResponses: { a: { action: 'decline' } } }]);
});

test('polls a server of 2025-11-25 without notifications at its interval, and names the task in answers to its questions', async () => {
  const clock = new ManualClock();
  const [here, there] = memoryPair();
  const sent: Record<string, unknown>[] = [];
  const _meta = { [RELATED_TASK]: { taskId: 't' } };
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      serverInfo: { name: 'scripted', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'any', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
    }),
    'tools/call': () => ({ task: { ...task('working'), ttl: null, pollInterval: 10 } }),
    'tasks/get': () => {
      const polls = sent.filter(({ method }) => method === 'tasks/get').length;
      const status = sent.some(({ id }) => id === 'q') ? 'completed' : polls < 5 ? 'working' : 'input_required';
      return { ...task(status), ttl: null, pollInterval: 10 };
    },
  };
  there.onmessage = (message) => {
    const { id, method = '' } = message as { id?: unknown; method?: string };
    sent.push(message as never);
    const answer = (result: object) => void there.send({ jsonrpc: '2.0', id, result } as never);
    if (method === 'tasks/result') {
      const asked = question('A?');
      void there.send({ jsonrpc: '2.0', id: 'q', ...asked, params: { ...asked.params, _meta } } as never);
    }
    if (id === 'q') {
      const waiting = sent.find((each) => each.method === 'tasks/result')!;
      void there.send({
        jsonrpc: '2.0',
        id: waiting.id,
        result: { content: [{ type: 'text', text: 'done' }], _meta },
      } as never);
    } else if (results[method]) answer(results[method]!());
  };
  await there.start();
  const client = await connect(here, { revision: '2025-11-25', elicit, clock });
  const ended = client.callTool('any');
  let result: unknown;
  void ended.then((value) => {
    result = value;
  });
  await expect
    .poll(() => {
      clock.advance(10);
      return result;
    })
    .toMatchObject({ content: [{ text: 'done' }] });
  expect(sent.find(({ id }) => id === 'q')).toMatchObject({ result: { ...elicit(), _meta } });
  await client.close();
});
