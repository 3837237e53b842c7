// The messages of a server with tasks, with clients that send raw messages.

import { queryObjects } from 'node:v8';
import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { RequestCaller } from '../../src/mcp/adapter/request-caller.ts';
import { TaskEngine } from '../../src/mcp/extensions/tasks/engine.ts';
import { MemoryTaskStore } from '../../src/mcp/extensions/tasks/store.ts';
import { type TasksOptions, tasks } from '../../src/mcp/extensions/tasks/tasks.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { CLIENT_CAPABILITIES } from '../../src/mcp/meta.ts';
import type { Call } from '../../src/mcp/server/call.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { newClient } from '../../src/mcp/service.ts';
import { InboundCall } from '../../src/wire/jsonrpc/inbound.ts';
import { declared, type Message, rawSession } from './raw-session.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const form = { message: 'Name?', requestedSchema: { type: 'object' as const, properties: {} } };

function taskServer(options: TasksOptions = {}) {
  const server = new Server({ name: 'worker', version: '1' }, { extensions: [tasks(options)] });
  let finish!: () => void;
  const may = new Promise<void>((resolve) => {
    finish = resolve;
  });
  server.tool('wait', { task: 'optional' }, async () => {
    await may;
    return 'waited';
  });
  server.tool('list', { task: 'required', output: { type: 'array' } }, async () => [1, 2]);
  server.tool('ask', { task: 'optional' }, async (_, call) => {
    const { action } = await call.elicit(form, { name: 'who' });
    await may;
    return action;
  });
  server.tool('ask-later', { task: 'required' }, async (_, call) => {
    const first = await call.elicit(form, { name: 'who' });
    const second = await call.elicit(form, { name: 'who' });
    return [first.action, second.action].join(' ');
  });
  server.tool('plain', {}, () => 'plain');
  closing.push(() => server.close());
  return { server, finish };
}

const raw = async (server: Server) => {
  const session = await rawSession(server);
  closing.push(session.close);
  return session;
};
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('a server of 2026-07-28', () => {
  test('declares the extension, and lists tools without options of tasks', async () => {
    const { modern } = await raw(taskServer().server);
    const { result } = await modern('server/discover');
    expect(result!.capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect(result!.capabilities).not.toHaveProperty('tasks');
    const { tools } = (await modern('tools/list')).result as { tools: object[] };
    expect(tools.filter((tool) => 'task' in tool || 'execution' in tool)).toEqual([]);
  });

  test('declares nothing without a tool that may run as a task', async () => {
    const server = new Server({ name: 'plain', version: '1' });
    server.tool('plain', {}, () => 'plain');
    closing.push(() => server.close());
    const { modern } = await raw(server);
    expect((await modern('server/discover')).result!.capabilities).not.toHaveProperty('extensions');
    expect((await modern('tasks/get', { taskId: '1' })).error).toMatchObject({ code: -32601 });
  });

  test('answers a call with a task that can be read at once, and returns its result with tasks/get', async () => {
    const { server, finish } = taskServer({ afterMs: 0, ttlMs: 600_000, pollMs: 20 });
    const { modern } = await raw(server);
    const { result } = await modern('tools/call', { name: 'wait', task: { ttl: 5 } });
    const { _meta, ...created } = result!;
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttlMs: 600_000,
      pollIntervalMs: 20,
    });
    const { taskId } = created;
    expect((await modern('tasks/get', { taskId })).result).toMatchObject({ resultType: 'complete', status: 'working' });
    finish();
    await expect
      .poll(async () => (await modern('tasks/get', { taskId })).result)
      .toMatchObject({
        resultType: 'complete',
        taskId,
        status: 'completed',
        result: { content: [{ type: 'text', text: 'waited' }] },
      });
  });

  test('keeps a key of a question unique, ignores answers with unknown keys, and refuses an invalid answer', async () => {
    const { modern } = await raw(taskServer().server);
    const { taskId } = (await modern('tools/call', { name: 'ask-later' })).result as { taskId: string };
    const state = async () => (await modern('tasks/get', { taskId })).result;
    await expect.poll(state).toMatchObject({
      status: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: form } },
    });
    const update = (inputResponses: unknown) => modern('tasks/update', { taskId, inputResponses });
    expect((await update({ other: {} })).result).toMatchObject({ resultType: 'complete' });
    expect((await update({ who: 'yes' })).error).toMatchObject({ code: -32602 });
    expect((await update('yes')).error).toMatchObject({ code: -32602 });
    await update({ who: { action: 'accept' } });
    await update({ who: { action: 'decline' } });
    await expect.poll(async () => Object.keys((await state())!.inputRequests ?? {})).toEqual(['who-2']);
    await update({ 'who-2': { action: 'cancel' } });
    await expect.poll(state).toMatchObject({ status: 'completed', result: { content: [{ text: 'accept cancel' }] } });
  });

  test('sends a question before the call is a task in the result of the call', async () => {
    const { server, finish } = taskServer({ afterMs: 1 });
    const { modern } = await raw(server);
    const { result } = await modern('tools/call', { name: 'ask' });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } });
    const { requestState } = result!;
    const again = await modern('tools/call', {
      name: 'ask',
      requestState,
      inputResponses: { who: { action: 'accept' } },
    });
    expect(again.result).toMatchObject({ resultType: 'task', status: 'working' });
    expect(again.result).not.toHaveProperty('requestState');
    finish();
    const { taskId } = again.result!;
    await expect
      .poll(async () => (await modern('tasks/get', { taskId })).result)
      .toMatchObject({ status: 'completed', result: { content: [{ text: 'accept' }] } });
  });

  test('sends notifications about the tasks of a subscription, and only of known ones', async () => {
    const { server, finish } = taskServer({ afterMs: 0 });
    const { modern, got } = await raw(server);
    const { taskId } = (await modern('tools/call', { name: 'wait' })).result as { taskId: string };
    void modern('subscriptions/listen', { notifications: { taskIds: [taskId, 'unknown'] } });
    await expect
      .poll(() => got.find(({ method }) => method === 'notifications/subscriptions/acknowledged')?.params)
      .toMatchObject({ notifications: { taskIds: [taskId] } });
    finish();
    await expect
      .poll(() => got.filter(({ method }) => method === 'notifications/tasks').at(-1)?.params)
      .toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'waited' }] } });
    const refused = await modern('subscriptions/listen', { notifications: { taskIds: [taskId] } }, {});
    expect(refused.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
  });

  test('acknowledges at most 16 subscriptions to one task', async () => {
    const { server } = taskServer({ afterMs: 0 });
    const { modern, got } = await raw(server);
    const { taskId } = (await modern('tools/call', { name: 'wait' })).result as { taskId: string };
    for (let count = 0; count < 20; count++)
      void modern('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    const acknowledged = () => got.filter(({ method }) => method === 'notifications/subscriptions/acknowledged');
    await expect.poll(() => acknowledged().length).toBe(20);
    const accepted = acknowledged().filter(({ params }) => JSON.stringify(params).includes(taskId));
    expect(accepted).toHaveLength(16);
  });

  test.each(['tasks/result', 'tasks/list'])('does not have %s', async (method) => {
    const { modern } = await raw(taskServer().server);
    expect((await modern(method, { taskId: '1' })).error).toMatchObject({ code: -32601 });
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('refuses %s for an unknown task', async (method) => {
    const { modern } = await raw(taskServer().server);
    const { error } = await modern(method, { taskId: 'unknown', inputResponses: {} });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Task not found') });
  });

  test('over HTTP checks that Mcp-Name is the id of the task', async () => {
    const { server } = taskServer({ afterMs: 0 });
    const serving = await serveHttp(server, { token: false });
    closing.push(() => serving.close());
    const send = async (method: string, params: object, name: string) => {
      const response = await fetch(serving.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': declared,
            },
          },
        }),
      });
      return (await response.json()) as Message;
    };
    const { taskId } = (await send('tools/call', { name: 'wait' }, 'wait')).result as { taskId: string };
    expect((await send('tasks/get', { taskId }, 'another')).error).toMatchObject({ code: -32020 });
    expect((await send('tasks/get', { taskId }, taskId)).result).toMatchObject({ taskId, status: 'working' });
  });
});

describe('a server of 2025-11-25', () => {
  test('declares the experimental form, and the support of each tool', async () => {
    const { request, initialize } = await raw(taskServer().server);
    const { capabilities } = (await initialize()).result!;
    expect(capabilities).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
    expect(capabilities).not.toHaveProperty('extensions');
    const { tools } = (await request('tools/list')).result as { tools: { name: string; execution?: unknown }[] };
    expect(tools.find(({ name }) => name === 'wait')?.execution).toEqual({ taskSupport: 'optional' });
    expect(tools.find(({ name }) => name === 'plain')).not.toHaveProperty('execution');
  });

  test('declares nothing about tasks in earlier revisions', async () => {
    const { initialize, request } = await raw(taskServer().server);
    expect((await initialize('2025-06-18')).result!.capabilities).not.toHaveProperty('tasks');
    expect((await request('tasks/list')).error).toMatchObject({ code: -32601 });
  });

  test('refuses calls against the support of the tool', async () => {
    const { request, initialize } = await raw(taskServer().server);
    await initialize();
    expect((await request('tools/call', { name: 'plain', task: {} })).error).toMatchObject({ code: -32601 });
    expect((await request('tools/call', { name: 'list' })).error).toMatchObject({ code: -32601 });
  });

  test('runs a call with `task` as a task, lists it, notifies its client, and gives the result with tasks/result', async () => {
    const { server, finish } = taskServer();
    const { request, initialize, got } = await raw(server);
    await initialize();
    const { task } = (await request('tools/call', { name: 'wait', task: { ttl: 4000 } })).result as {
      task: { taskId: string };
    };
    expect(task).toEqual({
      taskId: expect.any(String),
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 4000,
      pollInterval: expect.any(Number),
    });
    const { taskId } = task;
    const result = request('tasks/result', { taskId });
    expect((await request('tasks/list')).result).toEqual({ tasks: [expect.objectContaining({ taskId })] });
    finish();
    expect((await result).result).toEqual({
      content: [{ type: 'text', text: 'waited' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    expect(got.find(({ method }) => method === 'notifications/tasks/status')?.params).toMatchObject({
      taskId,
      status: 'completed',
      ttl: 4000,
    });
    expect((await request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 });
  });

  test('sends questions of a task while tasks/result is pending, and again if it was aborted', async () => {
    const { request, initialize, got, answer } = await raw(taskServer().server);
    await initialize();
    const { task } = (await request('tools/call', { name: 'ask-later', task: {} })).result as {
      task: { taskId: string };
    };
    const { taskId } = task;
    await expect
      .poll(async () => (await request('tasks/get', { taskId })).result)
      .toMatchObject({ status: 'input_required' });
    const questions = () => got.filter(({ method }) => method === 'elicitation/create');
    expect(questions()).toEqual([]);
    const result = request('tasks/result', { taskId });
    for (const [at, action] of ['accept', 'decline'].entries()) {
      await expect.poll(() => questions().length).toBe(at + 1);
      const { id, params } = questions()[at]!;
      expect(params).toEqual({ ...form, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });
      await answer(id!, { action });
    }
    expect((await result).result).toMatchObject({ content: [{ text: 'accept decline' }] });
  });

  test('wraps structured content as its revision requires', async () => {
    const { request, initialize } = await raw(taskServer().server);
    await initialize();
    const { task } = (await request('tools/call', { name: 'list', task: {} })).result as { task: { taskId: string } };
    const { result } = await request('tasks/result', { taskId: task.taskId });
    expect(result!.structuredContent).toEqual({ result: [1, 2] });
  });
});

test.each([0, 1])('tasks after %i ms keep neither their requests nor the connections of these', async (afterMs) => {
  const server = new Server({ name: 'worker', version: '1' }, { extensions: [tasks({ afterMs })] });
  closing.push(() => server.close());
  let finish!: () => void;
  const may = new Promise<void>((resolve) => {
    finish = resolve;
  });
  server.tool('wait', { task: 'optional' }, async (_, call) => {
    await may;
    call.progress(1);
  });
  const { modern } = await raw(server);
  const count = (ofClass: { prototype: object }) => queryObjects(ofClass as never, { format: 'count' });
  const kept = () => count(RequestCaller) + count(InboundCall);
  await modern('tools/call', { name: 'wait' });
  const before = kept();
  const answers = await Promise.all(Array.from({ length: 50 }, () => modern('tools/call', { name: 'wait' })));
  expect(new Set(answers.map(({ result }) => result!.taskId)).size).toBe(50);
  expect(kept() - before).toBeLessThan(10);
  finish();
});

test('tasks share the description of their client, as long as it does not change', async () => {
  const server = new Server({ name: 'worker', version: '1' }, { extensions: [tasks({ afterMs: 0 })] });
  closing.push(() => server.close());
  const calls: Call[] = [];
  server.tool('wait', { task: 'optional' }, (_, call) => {
    calls.push(call);
    return '';
  });
  const { modern } = await raw(server);
  const called = [declared, declared, { ...declared, sampling: {} }, declared];
  for (const capabilities of called) await modern('tools/call', { name: 'wait' }, capabilities);
  await expect.poll(() => calls.length).toBe(4);
  expect(calls.map(({ client }) => client.capabilities)).toEqual(called);
  expect(calls.map(({ meta }) => meta![CLIENT_CAPABILITIES])).toEqual(called);
  expect(calls[1]!.client).toBe(calls[0]!.client);
  expect(calls[1]!.meta![CLIENT_CAPABILITIES]).toBe(calls[0]!.client.capabilities);
});

describe('tasks of principals', () => {
  const clock = new ManualClock();
  const engine = new TaskEngine({ clock, store: new MemoryTaskStore(), ttlMs: 1000 });

  test('look unknown to another principal', async () => {
    const { record } = await engine.create(newClient('ada'), { cancel: () => undefined });
    expect(await engine.get(record.id, 'ada')).toBe(record);
    for (const other of ['bob', undefined]) {
      await expect(engine.get(record.id, other)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      await expect(engine.cancel(record.id, other)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      await expect(engine.answer(record.id, other, {})).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      expect(await engine.list(newClient(other))).toEqual([]);
    }
    expect(await engine.list(newClient('ada'))).toEqual([record]);
  });

  test('tasks without a principal are listed only to the client that created them', async () => {
    const client = newClient();
    const { record } = await engine.create(client, { cancel: () => undefined });
    expect(await engine.list(client)).toEqual([record]);
    expect(await engine.list(newClient())).toEqual([]);
    expect(await engine.get(record.id, undefined)).toBe(record);
  });
});

describe('a server without space', () => {
  test('runs an optional call to its end, and refuses a required one before it runs', async () => {
    const { server, finish } = taskServer({ afterMs: 1, maxTasks: 0 });
    const { modern } = await raw(server);
    const answer = modern('tools/call', { name: 'wait' });
    expect((await modern('tools/call', { name: 'list' })).error).toMatchObject({ code: -31001 });
    finish();
    expect((await answer).result).toMatchObject({ resultType: 'complete', content: [{ text: 'waited' }] });
  });

  test('fails a task whose result is too long to keep', async () => {
    const { server } = taskServer({ maxTaskBytes: 2000 });
    server.tool('long', { task: 'required' }, async () => 'x'.repeat(2000));
    const { modern } = await raw(server);
    const { taskId } = (await modern('tools/call', { name: 'long' })).result as { taskId: string };
    await expect
      .poll(async () => (await modern('tasks/get', { taskId })).result)
      .toMatchObject({ status: 'failed', error: { code: -31001, message: expect.stringContaining('2000 bytes') } });
  });
});
