// The messages of a 2025-11-25 client with tasks, at a host whose servers have the extension, the experimental form, or
// tasks of the host: one server, and the merged service.

import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import { hostTasks } from '../../src/mcp/extensions/tasks/host-tasks.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { JumpingClock } from '../fixtures/tasks/jumping-clock.mjs';
import { type Message, rawSession } from './raw-session.ts';

const file = fileURLToPath(new URL('../fixtures/tasks/keyed-server.mjs', import.meta.url));
const RELATED = 'io.modelcontextprotocol/related-task';
const command = process.execPath;
const servers = {
  modern: { command, args: [file, 'required'], revision: '2026-07-28' },
  legacy: { command, args: [file, 'required'], revision: '2025-11-25' },
  hosted: { command, args: [file], tasks: { after: '1ms' } },
};

const clock = new JumpingClock();
const TTL_MS = 3_600_000;
const extensions = [hostTasks({ ttlMs: TTL_MS })];
const host = new Host({ mcpServers: servers } as never, { clock, extensions });
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await host.start();
  // The first client of a process determines the questions that it may send.
  for (const server of Object.keys(servers)) {
    const { request, initialize } = await rawSession({ connect: (channel) => serve(host.service(server), channel) });
    await initialize();
    await request('tools/call', { name: 'runs', arguments: {} });
  }
});
afterAll(() => host.stop());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let last = 0;
const cases = Object.keys(servers).flatMap((server) => ['one', 'all'].map((served) => [server, served] as const));

describe.each(cases)('a client of 2025-11-25 and tasks of the kind %s, of %s', (server, served) => {
  const name = (tool: string) => (served === 'all' ? `${server}__${tool}` : tool);
  const id = served === 'all' ? new RegExp(`^standpipe:${server}/[0-9a-f]{32}$`) : /^[0-9a-f]{32}$/;

  async function opened() {
    const key = String(++last);
    const call = async (tool: string, of = key) => {
      const { content } = await host.callTool(server, tool, { key: of });
      return (content[0] as { text: string }).text;
    };
    const service = served === 'all' ? host.service() : host.service(server);
    const open = async () => {
      const raw = await rawSession({ connect: (channel) => serve(service, channel) });
      closing.push(() => raw.close());
      const { result } = await raw.initialize();
      return { ...raw, capabilities: result!.capabilities as Record<string, unknown> };
    };
    const session = await open();
    const create = async (tool: string, task: object = {}, of = key) => {
      const { result } = await session.request('tools/call', { name: name(tool), arguments: { key: of }, task });
      return result!.task as Record<string, unknown> & { taskId: string };
    };
    return { ...session, call, open, create, key };
  }

  test('is offered tasks, and gets one for a call with `task`', async () => {
    const { request, capabilities, create, call } = await opened();
    expect(capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    expect(capabilities.extensions).toBeUndefined();
    const { result } = await request('tools/list');
    const tools = result!.tools as { name: string; execution?: object }[];
    expect(tools.find((tool) => tool.name === name('result'))?.execution).toEqual({ taskSupport: 'optional' });
    const task = await create('result', { ttl: 60_000 });
    const common = { createdAt: expect.any(String), lastUpdatedAt: expect.any(String), ttl: 60_000 };
    const pollInterval = expect.any(Number);
    expect(task).toEqual({ taskId: expect.stringMatching(id), status: 'working', ...common, pollInterval });
    const { taskId } = task;
    const got = async () => (await request('tasks/get', { taskId })).result;
    await expect
      .poll(got)
      .toEqual({ taskId, status: 'working', statusMessage: 'half', ...common, pollInterval: expect.any(Number) });
    await call('release');
    const related = { _meta: { [RELATED]: { taskId } } };
    const answered = await request('tasks/result', { taskId });
    expect(answered.result).toMatchObject({ content: [{ type: 'text', text: 'done' }], ...related });
    expect(answered.result).not.toHaveProperty('resultType');
    expect(await got()).toEqual({ taskId, status: 'completed', statusMessage: 'half', ...common });
  });

  test('gets a plain result for a call without `task`', async () => {
    const { request, call, key } = await opened();
    const calling = request('tools/call', { name: name('result'), arguments: { key } });
    await call('begun');
    await call('release');
    expect((await calling).result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(await call('runs')).toBe('1');
  });

  test('gets a failed task for a tool error and for a protocol error', async () => {
    const { request, create, call, key } = await opened();
    const { taskId } = await create('tool-error');
    const failing = await create('protocol-error', {}, `${key} other`);
    await call('release');
    await call('release', `${key} other`);
    expect((await request('tasks/result', { taskId })).result).toMatchObject({ isError: true });
    expect((await request('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'failed' });
    const { error } = await request('tasks/result', { taskId: failing.taskId });
    expect(error).toEqual({ code: -32050, message: 'no such queue', data: { queue: 'q' } });
    const state = (await request('tasks/get', { taskId: failing.taskId })).result;
    expect(state).toMatchObject({ status: 'failed', statusMessage: 'no such queue' });
  });

  test('receives questions as requests that name the task while tasks/result is pending', async () => {
    const { request, create, call, listen, answer } = await opened();
    const { taskId } = await create('question');
    await call('release');
    const status = async () => (await request('tasks/get', { taskId })).result;
    await expect.poll(status).toMatchObject({ status: 'input_required' });
    const asked: Message[] = [];
    listen((message) => {
      if (message.method !== 'elicitation/create') return;
      asked.push(message);
      void answer(message.id!, { action: 'accept', content: { name: 'Ada' } });
    });
    const { result } = await request('tasks/result', { taskId });
    expect(result).toMatchObject({ content: [{ text: 'Hello, Ada' }], _meta: { [RELATED]: { taskId } } });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.params).toMatchObject({ message: 'Name?', _meta: { [RELATED]: { taskId } } });
  });

  test('cancels a task, which stays cancelled, and not one that has ended', async () => {
    const { request, create, call } = await opened();
    const { taskId } = await create('result');
    await call('begun');
    expect((await request('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect(await call('aborted')).toBe('aborted');
    await call('release');
    expect((await request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 });
    expect((await request('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect((await request('tasks/result', { taskId })).error).toMatchObject({ code: -32602 });
    const unknown = taskId.replace(/.{8}$/, '00000000');
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result']) {
      expect((await request(method, { taskId: unknown })).error).toMatchObject({ code: -32602 });
    }
  });

  test('lists its own tasks and is notified of their changes', async () => {
    const { request, create, call, open, got } = await opened();
    const other = await open();
    const { taskId } = await create('result');
    expect((await request('tasks/list')).result!.tasks).toMatchObject([{ taskId, status: 'working' }]);
    expect((await other.request('tasks/list')).result!.tasks).toEqual([]);
    await call('release');
    const changes = (messages: Message[]) =>
      messages.flatMap(({ method, params }) => (method === 'notifications/tasks/status' ? [params] : []));
    await expect.poll(() => changes(got)).toContainEqual(expect.objectContaining({ taskId, status: 'completed' }));
    expect(changes(got).every((task) => task!.taskId === taskId)).toBe(true);
    expect(changes(other.got)).toEqual([]);
  });

  test('loses a task when its TTL ends, and the tool is cancelled', async () => {
    const { request, create, call } = await opened();
    const { taskId } = await create('result');
    await call('begun');
    expect((await request('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' });
    clock.jump(TTL_MS);
    expect(await call('aborted')).toBe('aborted');
    expect((await request('tasks/get', { taskId })).error).toMatchObject({ code: -32602 });
  });
});

const requires = { command, args: [fileURLToPath(new URL('../fixtures/tasks/requires-tasks.mjs', import.meta.url))] };

async function startedWith(entry: object, isStarted = true) {
  const started = new Host({ mcpServers: { only: entry } } as never);
  closing.push(() => started.stop());
  if (isStarted) await started.start();
  const open = async () => {
    const raw = await rawSession({ connect: (channel) => serve(started.service('only'), channel) });
    closing.push(() => raw.close());
    return raw;
  };
  return { started, open };
}

describe.each(['2025-11-25', '2026-07-28'])('a tool of a %s server that requires a task', (revision) => {
  const entry = { ...requires, revision, autoStart: false };
  const done = { content: [{ type: 'text', text: 'done' }] };

  test('is called, or refused, by the first request of a modern client without tasks, which starts the server', async () => {
    const { open, started } = await startedWith(entry, false);
    const { modern } = await open();
    const { result, error } = await modern('tools/call', { name: 'job' }, {});
    if (revision === '2025-11-25') expect(result).toMatchObject(done);
    else expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } });
    expect(await started.callTool('only', 'job', {})).toMatchObject(done);
  });

  test('is a task for the first request of a client that declares the extension', async () => {
    const { open } = await startedWith(entry, false);
    const { modern } = await open();
    const { result } = await modern('tools/call', { name: 'job' });
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const state = async () => (await modern('tasks/get', { taskId: result!.taskId })).result;
    await expect.poll(state).toMatchObject({ status: 'completed', result: done });
  });

  test('is a task for the first request of a 2025-11-25 client with `task`', async () => {
    const { open } = await startedWith(entry, false);
    const { request } = await open();
    const { result } = await request('tools/call', { name: 'job', task: {} });
    const { taskId } = result!.task as { taskId: string };
    expect((await request('tasks/result', { taskId })).result).toMatchObject(done);
  });

  test('is refused with a process for each call, which would end before the task', async () => {
    const { open } = await startedWith({ ...entry, share: 'call' });
    const { modern, request, initialize } = await open();
    expect((await modern('server/discover')).result!.capabilities).not.toHaveProperty('extensions');
    const code = revision === '2026-07-28' ? -32021 : -32601;
    expect((await modern('tools/call', { name: 'job' })).error).toMatchObject({ code });
    expect((await initialize()).result!.capabilities).not.toHaveProperty('tasks');
    expect((await request('tools/call', { name: 'job', task: {} })).error).toMatchObject({ code });
  });
});

test('an unknown tool is refused, as a call and as a task', async () => {
  const { open } = await startedWith({ ...requires, revision: '2025-11-25' });
  const { request, initialize } = await open();
  await initialize();
  const plain = await request('tools/call', { name: 'missing' });
  const { result } = await request('tools/call', { name: 'missing', task: {} });
  const { taskId } = result!.task as { taskId: string };
  const asTask = await request('tasks/result', { taskId });
  expect([plain.error?.code, asTask.error?.code]).toEqual([-32602, -32602]);
});

test('a tool that forbids tasks refuses `task` with -32601', async () => {
  const { open } = await startedWith({ command, args: [file, 'forbidden'], revision: '2025-11-25' });
  const { request, initialize } = await open();
  await initialize();
  const { result } = await request('tools/list');
  const support = (result!.tools as { name: string; execution?: object }[]).map((tool) => [tool.name, tool.execution]);
  expect(support).toContainEqual(['other', { taskSupport: 'optional' }]);
  expect(support).toContainEqual(['result', undefined]);
  const { error } = await request('tools/call', { name: 'result', arguments: { key: 'x' }, task: {} });
  expect(error).toMatchObject({ code: -32601 });
});

test('questions of tasks in a shared 2025-11-25 process reach their own clients while other calls are pending', async () => {
  const names = ['Ada', 'Bob', 'Cy'];
  const sessions = await Promise.all(
    names.map(async (name) => {
      const raw = await rawSession({ connect: (channel) => serve(host.service('legacy'), channel) });
      closing.push(() => raw.close());
      await raw.initialize();
      raw.listen(({ method, id }) => {
        if (method === 'elicitation/create') void raw.answer(id!, { action: 'accept', content: { name } });
      });
      return raw;
    }),
  );
  const key = `together ${++last}`;
  void sessions[0]!.request('tools/call', { name: 'begun', arguments: { key: `${key} never` } });
  const asking = sessions.map(async ({ request }, number) => {
    const call = { name: 'question', arguments: { key: `${key} ${number}` } };
    if (number === 2) return (await request('tools/call', call)).result; // the host follows the task itself
    const { result } = await request('tools/call', { ...call, task: {} });
    return (await request('tasks/result', { taskId: (result!.task as { taskId: string }).taskId })).result;
  });
  for (const number of names.keys()) await host.callTool('legacy', 'begun', { key: `${key} ${number}` });
  for (const number of names.keys()) await host.callTool('legacy', 'release', { key: `${key} ${number}` });
  const answers = await Promise.all(asking);
  expect(answers).toMatchObject(names.map((name) => ({ content: [{ text: `Hello, ${name}` }] })));
});
