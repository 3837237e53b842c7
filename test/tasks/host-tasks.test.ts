// Tasks of a host: slow calls of servers without tasks, through a gateway with two principals.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import type { ToolCall } from '../../src/mcp/extensions/extension.ts';
import { type HostTasksOptions, hostTasks } from '../../src/mcp/extensions/tasks/host-tasks.ts';
import { resumeTask } from '../../src/mcp/extensions/tasks/tasks.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const fixture = (name: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../fixtures/tasks/${name}`, import.meta.url))],
});

async function gateway(entry: object, options?: HostTasksOptions) {
  const mcpServers = { slow: { ...fixture('slow-server.mjs'), restart: 'never', ...entry } };
  const host = new Host({ mcpServers } as never, options && { extensions: [hostTasks(options)] });
  closing.push(() => host.stop());
  await host.start();
  const authenticate = async (request: { header(name: string): string | undefined }) => {
    const [name, tool] = request.header('authorization')!.replace('Bearer ', '').split(' only ');
    return { name, ...(tool && { tools: [tool] }) };
  };
  const serving = await serveHttp((name) => host.service(name), { auth: { authenticate } } as never);
  closing.push(() => serving.close());
  const open = async (principal: string, path = '/slow', clientOptions: ClientOptions = {}) => {
    const target = { url: serving.url + path, headers: { authorization: `Bearer ${principal}` } };
    const client = await connect(target, clientOptions);
    closing.push(() => client.close());
    return client;
  };
  const text = async (tool: string) => {
    const { content } = await host.callTool('slow', tool, {});
    return (content[0] as { text: string }).text;
  };
  return { host, open, text };
}

const soon = { tasks: { after: '1ms' } };
const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });

describe.each(['2026-07-28', '2025-11-25'])('a slow call of a server of %s without tasks', (revision) => {
  async function called(tool: string, options: ClientOptions = {}, path = '/slow') {
    const { host, open, text } = await gateway({ revision, ...soon });
    const client = await open('ada', path, options);
    const handle = await client.callTool(path === '' ? `slow__${tool}` : tool, {}, { task: 'handle' });
    expect(handle.taskId).not.toBe('');
    return { host, open, text, client, handle };
  }

  test('is a task, whose result is that of the tool', async () => {
    const { client, handle, text } = await called('result');
    expect(client.server.capabilities.extensions).toMatchObject({ [TASKS]: {} });
    expect(handle.taskId).toMatch(/^[0-9a-f]{32}$/);
    await expect.poll(() => handle.status()).toMatchObject({ status: 'working', statusMessage: 'half' });
    await text('release');
    expect(await handle.result()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(await handle.status()).toMatchObject({ status: 'completed' });
    expect(await text('begun')).toBe('1');
  });

  test('is completed with a tool error', async () => {
    const { handle, text } = await called('tool-error');
    await text('release');
    expect(await handle.result()).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
    expect(await handle.status()).toMatchObject({ status: 'completed' });
  });

  test('fails with a protocol error', async () => {
    const { handle, text } = await called('protocol-error');
    await text('release');
    const error = { message: 'no such queue', data: { queue: 'q' } };
    await expect(handle.result()).rejects.toMatchObject({ rpcCode: -32050, ...error });
    expect(await handle.status()).toMatchObject({ status: 'failed', error: { code: -32050, ...error } });
  });

  test('sends its question as an input request, which is answered once', async () => {
    const { handle, text } = await called('question', { elicit });
    await text('release');
    await expect.poll(() => handle.status()).toMatchObject({ status: 'input_required' });
    const { inputRequests } = await handle.status();
    expect(Object.values(inputRequests!)).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Name?' } },
    ]);
    expect(await handle.result()).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  test('is cancelled at the server by tasks/cancel', async () => {
    const { handle, text } = await called('result');
    await text('begun');
    await handle.cancel();
    expect(await text('aborted')).toBe('aborted');
    expect(await handle.status()).toMatchObject({ status: 'cancelled' });
    await expect(handle.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
  });

  test('fails with the exact outcome if the process dies', async () => {
    const { host, handle, text } = await called('result');
    await text('begun');
    await host.callTool('slow', 'die', {}).catch(() => undefined);
    await expect(handle.result()).rejects.toThrow(/may have run/);
    const { status, error, statusMessage } = await handle.status();
    expect(status).toBe('failed');
    expect(error).toEqual({
      code: -32603,
      message: statusMessage,
      data: {
        'dev.standpipe/error': {
          kind: 'PeerError',
          code: 'OUTCOME_UNKNOWN',
          ran: { server: 'slow', pid: expect.any(Number), generation: 1 },
        },
      },
    });
  });

  test('continues when its client disconnects, and is read over another connection', async () => {
    const { client, handle, open, text } = await called('result');
    const saved = JSON.parse(JSON.stringify(handle));
    await client.close();
    await text('release');
    const resumed = await resumeTask(await open('ada'), saved);
    expect(await resumed.result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(await text('begun')).toBe('1');
  });

  test('does not exist for another principal', async () => {
    const { handle, open, text } = await called('result', { elicit });
    const other = await open('bob');
    const { taskId } = handle;
    for (const [method, params] of [
      ['tasks/get', { taskId }],
      ['tasks/cancel', { taskId }],
      ['tasks/update', { taskId, inputResponses: {} }],
    ] as const) {
      const unknown = await other.request(method, { ...params, taskId: '0'.repeat(32) }).catch((error) => error);
      const refused = await other.request(method, params).catch((error) => error);
      expect(refused).toMatchObject({ rpcCode: -32602, message: unknown.message });
    }
    await text('release');
    expect(await handle.result()).toMatchObject({ content: [{ text: 'done' }] });
  });

  test.each(['/slow', ''])('at "%s" notifies a client that subscribes to its id', async (path) => {
    const { client, handle, text, open } = await called('result', {}, path);
    const { taskId } = handle;
    const seen: unknown[] = [];
    const watcher = (of: typeof client, accepted: (further: object) => void) =>
      of.service.watch({
        filter: { further: { taskIds: [taskId] } },
        client: (of.toolCall({ name: 'result' }) as ToolCall).caller.client,
        notified: (method, params) => seen.push([method, params?.taskId, params?.status]),
        accepted,
      });
    const accepted: object[] = [];
    const refused: object[] = [];
    const stop = await watcher(client, (further) => accepted.push(further));
    const stopOther = await watcher(await open('bob', path), (further) => refused.push(further));
    expect(accepted).toEqual([{ taskIds: [taskId] }]);
    expect(JSON.stringify(refused)).not.toContain(taskId);
    await text('release');
    await expect.poll(() => seen).toContainEqual(['notifications/tasks', taskId, 'completed']);
    expect(seen.filter((each) => (each as string[])[2] === 'completed')).toHaveLength(1);
    stop();
    stopOther();
  });

  test('is found by its handle in the merged service', async () => {
    const { handle, text, open } = await called('question', { elicit }, '');
    expect(handle.taskId).not.toMatch(/^[0-9a-f]{32}$/);
    const other = await open('bob', '');
    await expect(other.request('tasks/get', { taskId: handle.taskId })).rejects.toMatchObject({ rpcCode: -32602 });
    await text('release');
    expect(await handle.result()).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });
});

describe('a host with tasks', () => {
  test('returns a plain result for a call that ends in time', async () => {
    const { open } = await gateway({ tasks: { after: '10m' } });
    const handle = await (await open('ada')).callTool('quick', {}, { task: 'handle' });
    expect(handle.taskId).toBe('');
    expect(await handle.result()).toMatchObject({ content: [{ text: 'quick' }] });
  });

  test('returns a plain result if there is no space for a task', async () => {
    const { open, text } = await gateway(soon, { maxPrincipalTasks: 1 });
    const client = await open('ada');
    const first = await client.callTool('result', {}, { task: 'handle' });
    const second = client.callTool('result', {}, { task: 'handle' });
    const other = await (await open('bob')).callTool('result', {}, { task: 'handle' });
    await text('release');
    expect((await second).taskId).toBe('');
    expect(await (await second).result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(await first.result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(other.taskId).not.toBe('');
    expect(await other.result()).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('returns a plain result if there is no space for its arguments', async () => {
    const { open, text } = await gateway(soon, { maxPrincipalTaskBytes: 100_000 });
    const client = await open('ada');
    const call = () => client.callTool('result', { text: 'x'.repeat(60_000) }, { task: 'handle' });
    const first = await call();
    const second = call();
    await expect.poll(() => text('begun')).toBe('2'); // the end of the first call frees space
    await text('release');
    expect([first.taskId, (await second).taskId]).toEqual([expect.stringMatching(/./), '']);
    expect(await (await second).result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(await first.result()).toMatchObject({ content: [{ text: 'done' }] });
    const third = await client.callTool('quick', { text: 'x'.repeat(60_000) }, { task: 'handle' });
    expect(await third.result()).toMatchObject({ content: [{ text: 'quick' }] });
  });

  test('cancels the call when the TTL of its task ends', async () => {
    const { open, text } = await gateway(soon, { ttlMs: 300 });
    const handle = await (await open('ada')).callTool('result', {}, { task: 'handle' });
    expect(await text('aborted')).toBe('aborted');
    await expect(handle.status()).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('does not answer with a task if the client does not declare the extension', async () => {
    const { open, text } = await gateway(soon);
    const client = await open('ada', '/slow', { extensions: [{ id: TASKS }] });
    const result = client.callTool('result', {});
    await text('begun');
    await text('release');
    expect(await result).toMatchObject({ content: [{ text: 'done' }] });
    await expect(client.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject({ rpcCode: -32021 });
  });

  test('cancels a call that its client aborts before there is a task', async () => {
    const { open, text } = await gateway({ tasks: { after: '10m' } });
    const abort = new AbortController();
    const result = (await open('ada')).callTool('result', {}, { signal: abort.signal });
    await text('begun');
    abort.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    expect(await text('aborted')).toBe('aborted');
  });
});

test('a host without tasks in the entry neither declares them nor answers with one', async () => {
  const { open, text } = await gateway({});
  const client = await open('ada');
  expect(client.server.capabilities.extensions).toBeUndefined();
  const handle = client.callTool('result', {}, { task: 'handle' });
  await text('begun');
  await text('release');
  expect((await handle).taskId).toBe('');
});

test('a principal with restricted tools reads its tasks', async () => {
  const { open, text } = await gateway(soon);
  const client = await open('ada only result');
  const handle = await client.callTool('result', {}, { task: 'handle' });
  await expect(client.callTool('quick')).rejects.toMatchObject({ message: expect.stringContaining('quick') });
  await text('release');
  expect(await handle.result()).toMatchObject({ content: [{ text: 'done' }] });
});

describe('a server of 2025-11-25 that requires tasks', () => {
  const entry = { ...fixture('requires-tasks.mjs'), revision: '2025-11-25' };
  const without = { extensions: [{ id: TASKS }] };

  test.each([
    ['2026-07-28 without the extension', without, {}],
    ['2026-07-28 with the extension', {}, {}],
    ['2026-07-28 with the extension, with tasks of the host', {}, soon],
    ['2025-06-18', { revision: '2025-06-18' } as const, {}],
  ])('is used by a client of %s', async (_, options, more) => {
    const { open } = await gateway({ ...entry, ...more });
    const client = await open('ada', '/slow', { elicit, ...options });
    expect(await client.callTool('job')).toMatchObject({ content: [{ text: 'done' }] });
    expect(await client.callTool('fails')).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
    expect(await client.callTool('asks')).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  test('a server that exits fails the call with an unknown outcome', async () => {
    const { open } = await gateway({ ...entry, restart: 'always' });
    const client = await open('ada', '/slow', without);
    await expect(client.callTool('dies')).rejects.toThrow(/may have run/);
  });
});

describe('a server of 2025-11-25 whose tasks are incomplete', () => {
  const entry = fixture('odd-tasks.mjs');

  test.each([
    ['without the extension', { extensions: [{ id: TASKS }] }, {}],
    ['with tasks of the host', {}, soon],
  ])('gets cancellations when a client %s aborts a call whose result it does not send', async (_, options, more) => {
    const { open, text } = await gateway({ ...entry, ...more });
    const client = await open('ada', '/slow', options);
    const abort = new AbortController();
    const result = client.callTool('job', {}, { signal: abort.signal });
    await expect.poll(() => text('log')).toContain('tasks/result');
    abort.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    await expect.poll(() => text('log')).toContain('cancelled tasks/result');
    expect(await text('log')).toContain('tasks/cancel');
  });

  test('fails a call whose result it does not send', async () => {
    const { open } = await gateway({ ...entry, requestTimeoutMs: 200 });
    await expect((await open('ada')).callTool('job')).rejects.toThrow('tasks/result');
  });

  test.each([['x'], [[]], [null], [5]])('fails a call with the result %j', async (value) => {
    for (const more of [{}, soon]) {
      const { open } = await gateway({ ...entry, ...more });
      const client = await open('ada');
      for (const tool of ['job', 'plain']) {
        await expect(client.callTool(tool, { value })).rejects.toThrow(/The result of \S+ is .* instead of an object/);
      }
      expect(await client.callTool('job', { value: { content: [] } })).toMatchObject({ content: [] });
    }
  });
});
