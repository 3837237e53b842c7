// Both forms of tasks between our client and our server: each outcome has the same meaning as that of a plain call.

import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { RpcError } from '../../src/base/errors.ts';
import { connect } from '../../src/connect/connect.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { resumeTask, type TasksOptions, tasks } from '../../src/mcp/extensions/tasks/tasks.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import type { Call } from '../../src/mcp/server/call.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Controls when the tool continues, and records its call. */
class Work {
  readonly begun = deferred<Call>();
  readonly may = deferred<void>();
  readonly aborted = deferred<unknown>();
  runs = 0;
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const form = {
  message: 'Name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' } } },
};

function taskServer(work: Work, support: 'optional' | 'required', options: TasksOptions = {}, clock?: ManualClock) {
  const server = new Server(
    { name: 'worker', version: '1' },
    { extensions: [tasks({ afterMs: 1, pollMs: 10, ...options })], ...(clock && { clock }) },
  );
  const tool = (name: string, run: (call: Call) => unknown) =>
    server.tool(name, { task: support }, async (_, call) => {
      work.runs++;
      call.signal.addEventListener('abort', () => work.aborted.resolve(call.signal.reason));
      work.begun.resolve(call);
      await work.may.promise;
      return run(call) as string;
    });
  tool('result', () => 'done');
  tool('tool-error', () => {
    throw new Error('the disk is full');
  });
  tool('protocol-error', () => {
    throw new RpcError(-32050, 'no such queue', { queue: 'q' });
  });
  tool('question', async (call) => `Hello, ${JSON.stringify((await call.elicit(form, { name: 'who' })).content)}`);
  tool('questions', async (call) => {
    const answers = await Promise.all([call.elicit(form, { name: 'a' }), call.elicit(form, { name: 'b' })]);
    return answers.map(({ action }) => action).join(' ');
  });
  server.tool('plain', {}, () => 'plain');
  return server;
}

async function connected(server: Server, options: ClientOptions = {}): Promise<Client> {
  const [here, there] = memoryPair();
  await server.connect(there);
  const client = await connect(here, options);
  closing.push(() => client.close());
  closing.push(() => server.close());
  return client as unknown as Client;
}

const forms = {
  'the extension': {},
  'the experimental form': { revision: '2025-11-25' },
} as const satisfies Record<string, ClientOptions>;
const supports = ['optional', 'required'] as const;
const cases = Object.keys(forms).flatMap((name) =>
  supports.map((support) => [name as keyof typeof forms, support] as const),
);

describe.each(cases)('a call in %s of a tool with task: %s', (name, support) => {
  async function called(tool: string, options: ClientOptions = {}, server: TasksOptions = {}) {
    const work = new Work();
    const client = await connected(taskServer(work, support, server), { ...forms[name], ...options });
    const handle = await client.callTool(tool, {}, { task: 'handle' });
    await work.begun.promise;
    return { work, client, handle };
  }
  const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });

  test('is a task, whose result is that of the tool', async () => {
    const { work, handle } = await called('result');
    expect(await handle.status()).toMatchObject({ taskId: handle.taskId, status: 'working', ttlMs: 3_600_000 });
    work.may.resolve();
    expect(await handle.result()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(await handle.status()).toMatchObject({ status: 'completed' });
    expect(work.runs).toBe(1);
  });

  test('resolves with a tool error', async () => {
    const { work, handle } = await called('tool-error');
    work.may.resolve();
    expect(await handle.result()).toMatchObject({
      content: [{ type: 'text', text: 'the disk is full' }],
      isError: true,
    });
  });

  test('rejects with a protocol error', async () => {
    const { work, handle } = await called('protocol-error');
    work.may.resolve();
    await expect(handle.result()).rejects.toMatchObject({
      rpcCode: -32050,
      message: 'no such queue',
      data: { queue: 'q' },
    });
    expect(await handle.status()).toMatchObject({ status: 'failed' });
  });

  test('sends a question, which the handler of the client answers once', async () => {
    let asked = 0;
    const counted = () => {
      asked++;
      return elicit();
    };
    const { work, handle } = await called('question', { elicit: counted });
    work.may.resolve();
    expect(await handle.result()).toMatchObject({ content: [{ type: 'text', text: 'Hello, {"name":"Ada"}' }] });
    expect(asked).toBe(1);
  });

  test('sends two questions at once', async () => {
    const { work, handle } = await called('questions', { elicit });
    work.may.resolve();
    expect(await handle.result()).toMatchObject({ content: [{ type: 'text', text: 'accept accept' }] });
  });

  test('can be cancelled: the signal of the tool aborts, and its result is ignored', async () => {
    const { work, handle } = await called('result');
    await handle.cancel();
    await work.aborted.promise;
    work.may.resolve();
    await expect(handle.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(await handle.status()).toMatchObject({ status: 'cancelled' });
    await handle.cancel(); // a second cancellation is not an error
  });

  test('reports progress as the message of its status', async () => {
    const { work, handle } = await called('result');
    (await work.begun.promise).progress(1, 2);
    (await work.begun.promise).progress(2, 2, 'almost');
    const states = [];
    for await (const state of handle) {
      states.push([state.status, state.statusMessage]);
      work.may.resolve();
    }
    expect(states.at(-1)).toEqual(['completed', 'almost']);
  });

  test('can be resumed from its saved handle over another connection', async () => {
    const work = new Work();
    const server = taskServer(work, support);
    const [here, there] = memoryPair();
    await server.connect(there);
    const first = await connect(here, forms[name]);
    const handle = await first.callTool('result', {}, { task: 'handle' });
    const saved = JSON.parse(JSON.stringify(handle));
    await first.close();
    work.may.resolve();
    const resumed = await resumeTask(await connected(server, forms[name]), saved);
    expect(resumed.taskId).toBe(handle.taskId);
    expect(await resumed.result()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(work.runs).toBe(1);
  });

  test('expires with its TTL: the signal of the tool aborts, and the task is unknown', async () => {
    const clock = new ManualClock();
    const work = new Work();
    const server = taskServer(work, 'required', { ttlMs: 5_000 }, clock);
    const client = await connected(server, forms[name]);
    const handle = await client.callTool('result', {}, { task: 'handle' });
    await work.begun.promise;
    clock.advance(4_999);
    expect(await handle.status()).toMatchObject({ status: 'working' });
    clock.advance(1);
    await expect(handle.status()).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await work.aborted.promise;
  });
});

test('closing the server aborts the signals of its tasks', async () => {
  const work = new Work();
  const server = taskServer(work, 'required');
  const client = await connected(server);
  await client.callTool('result', {}, { task: 'handle' });
  await work.begun.promise;
  await server.close();
  expect(await work.aborted.promise).toMatchObject({ message: 'The call was abandoned: the server closes' });
});

describe('callTool', () => {
  test.each(cases)('in %s with task: %s follows the call to its end', async (name, support) => {
    const work = new Work();
    const client = await connected(taskServer(work, support), forms[name]);
    const seen: unknown[] = [];
    const result = client.callTool('result', {}, { onProgress: (progress) => seen.push(progress.message) });
    (await work.begun.promise).progress(1, 2, 'half');
    await expect.poll(() => seen).toContain('half');
    work.may.resolve();
    expect(await result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  });

  test.each(cases)('in %s with task: %s cancels the task when its signal aborts', async (name, support) => {
    const work = new Work();
    const client = await connected(taskServer(work, support), forms[name]);
    const abort = new AbortController();
    const seen: unknown[] = [];
    const result = client.callTool('result', {}, { signal: abort.signal, onProgress: (each) => seen.push(each) });
    const call = await work.begun.promise;
    // Only progress of a task has a message here, which shows that the client knows the task.
    const isTask = name === 'the extension' || support === 'required';
    let progress = 0;
    await expect
      .poll(() => {
        call.progress(++progress);
        return seen.at(-1);
      })
      .toMatchObject(isTask ? { message: expect.any(String) } : { progress: expect.any(Number) });
    abort.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    await work.aborted.promise;
  });

  test('fails and cancels the task after totalTimeoutMs', async () => {
    const work = new Work();
    const client = await connected(taskServer(work, 'required'));
    await expect(client.callTool('result', {}, { totalTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    await work.aborted.promise;
  });

  test('gets a plain result of a tool that ends in time', async () => {
    const work = new Work();
    work.may.resolve();
    const client = await connected(taskServer(work, 'optional', { afterMs: 60_000 }));
    expect(await client.request('tools/call', { name: 'result' }, { unfinished: true })).toMatchObject({
      resultType: 'complete',
    });
    expect(await client.callTool('plain')).toMatchObject({ content: [{ text: 'plain' }] });
    const handle = await client.callTool('plain', {}, { task: 'handle' });
    expect(handle.taskId).toBe('');
    expect(await handle.result()).toMatchObject({ content: [{ text: 'plain' }] });
  });

  test('without the extension gets a plain result, or an error of a tool that requires tasks', async () => {
    const without = { extensions: [{ id: TASKS }] };
    const work = new Work();
    work.may.resolve();
    const optional = await connected(taskServer(work, 'optional', { afterMs: 0 }), without);
    expect(await optional.callTool('result')).toMatchObject({ content: [{ text: 'done' }] });
    const required = await connected(taskServer(work, 'required'), without);
    await expect(required.callTool('result')).rejects.toMatchObject({
      rpcCode: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
    await expect(required.request('tasks/get', { taskId: '1' })).rejects.toMatchObject({ rpcCode: -32021 });
    const old = await connected(taskServer(work, 'required'), { revision: '2025-06-18' });
    await expect(old.callTool('result')).rejects.toMatchObject({ rpcCode: -32601 });
  });
});
