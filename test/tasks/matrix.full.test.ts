// Each kind of client with each kind of server through a host and its gateway: each outcome of a call has the same
// meaning, as a task if both the client and the server, or the host, have tasks.

import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { hostTasks } from '../../src/mcp/extensions/tasks/host-tasks.ts';
import type { TaskHandle } from '../../src/mcp/extensions/tasks/task-handle.ts';
import { resumeTask } from '../../src/mcp/extensions/tasks/tasks.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { JumpingClock } from '../fixtures/tasks/jumping-clock.mjs';

const without = { extensions: [{ id: TASKS }] };
const clients = {
  '2026-07-28 with the extension': {},
  '2026-07-28 without the extension': without,
  '2025-11-25 with task': { revision: '2025-11-25' },
  '2025-11-25 without task': { revision: '2025-11-25', ...without },
  '2025-06-18': { revision: '2025-06-18' },
} as const satisfies Record<string, ClientOptions>;
type ClientName = keyof typeof clients;

/** Of the tasks of the servers, and of those of the host. Each has a clock that the test moves to the end of the TTL. */
const TTL_MS = 600_000;
const file = fileURLToPath(new URL('../fixtures/tasks/keyed-server.mjs', import.meta.url));
const entry = (revision: string, support: string) => ({
  command: process.execPath,
  args: [file, support, String(TTL_MS)],
  revision,
  requestTimeoutMs: 2 * TTL_MS,
});
const hosted = { tasks: { after: '1ms' } };
const servers = {
  'modern-optional': entry('2026-07-28', 'optional'),
  'modern-required': entry('2026-07-28', 'required'),
  'legacy-forbidden': entry('2025-11-25', 'forbidden'),
  'legacy-optional': entry('2025-11-25', 'optional'),
  'legacy-required': entry('2025-11-25', 'required'),
  'modern-none': entry('2026-07-28', 'none'),
  'legacy-none': entry('2025-11-25', 'none'),
  'modern-hosted': { ...entry('2026-07-28', 'none'), ...hosted },
  'legacy-hosted': { ...entry('2025-11-25', 'none'), ...hosted },
};
/** The same servers, with a process for each client. */
const own = Object.fromEntries(
  Object.entries(servers).map(([name, server]) => [`own-${name}`, { ...server, share: 'client' }]),
);
const isTask = (client: string, server: string) => / with /.test(client) && /optional|required|hosted/.test(server);
/** Whether the task is that of the server, which the host passes on. */
const isPassed = (client: string, server: string) => /^2026.* with /.test(client) && /modern-[or]/.test(server);

const clock = new JumpingClock();
const extensions = [hostTasks({ ttlMs: TTL_MS })];
const host = new Host({ mcpServers: { ...servers, ...own } } as never, { clock, extensions });
let url = '';
let token = '';
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await host.start();
  const serving = await serveHttp((name) => host.service(name));
  ({ url, token } = serving as { url: string; token: string });
  // The first client of a process determines the questions that it may send.
  const first = Object.keys(servers).map(async (server) => (await open('2025-06-18', server)).callTool('runs', {}));
  await Promise.all(first);
  return async () => {
    await serving.close();
    await host.stop();
  };
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => expect(closing).toEqual([]));

const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });

async function open(client: ClientName, server: string): Promise<Client> {
  const target = { url: `${url}/${server}`, headers: { authorization: `Bearer ${token}` } };
  const opened = (await connect(target, { elicit, ...clients[client] })) as unknown as Client;
  closing.push(() => opened.close());
  return opened;
}

let lastKey = 0;

/** Starts a call, and waits until it runs in the server. */
async function begun(clientName: ClientName, server: string, tool: string) {
  const client = await open(clientName, server);
  const key = `${++lastKey}`;
  const abort = new AbortController();
  const call = async (name: string) => {
    const { content } = await (server in own ? client.callTool(name, { key }) : host.callTool(server, name, { key }));
    return (content[0] as { text: string }).text;
  };
  const calling = isTask(clientName, server)
    ? client.callTool(tool, { key }, { task: 'handle' })
    : client.callTool(tool, { key }, { signal: abort.signal });
  calling.catch(() => undefined); // awaited below
  await call('begun');
  const handle = isTask(clientName, server) ? ((await calling) as TaskHandle) : undefined;
  if (handle) expect(handle.taskId).not.toBe('');
  return {
    client,
    call,
    handle,
    abort,
    /** The outcome of the call for a program. */
    result: () => (handle ? handle.result() : (calling as Promise<object>)),
  };
}

/** Whether the server refuses the client, which could declare the extension. */
const isRefused = (client: string, server: string) => /^2026.* without /.test(client) && server === 'modern-required';
const allCells = (Object.keys(clients) as ClientName[]).flatMap((client) =>
  Object.keys(servers).map((server) => [client, server] as const),
);

test.each(allCells.filter((cell) => isRefused(...cell)))(
  'a client of %s and the server %s: a call is refused',
  async (clientName, server) => {
    const client = await open(clientName, server);
    const key = `${++lastKey}`;
    await expect(client.callTool('result', { key })).rejects.toMatchObject({
      rpcCode: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
    const { content } = await host.callTool(server, 'runs', { key });
    expect(content).toMatchObject([{ text: '0' }]);
  },
);

const cells = allCells.filter((cell) => !isRefused(...cell));

describe.each(cells)('a client of %s and the server %s', (clientName, server) => {
  test('get a result', async () => {
    const { call, result, handle } = await begun(clientName, server, 'result');
    if (handle) await expect.poll(() => handle.status()).toMatchObject({ status: 'working', statusMessage: 'half' });
    await call('release');
    expect(await result()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    if (handle) expect(await handle.status()).toMatchObject({ status: 'completed' });
    expect(await call('runs')).toBe('1');
  });

  test('get a tool error', async () => {
    const { call, result } = await begun(clientName, server, 'tool-error');
    await call('release');
    expect(await result()).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
  });

  test('get a protocol error', async () => {
    const { call, result } = await begun(clientName, server, 'protocol-error');
    await call('release');
    await expect(result()).rejects.toMatchObject({ rpcCode: -32050, message: 'no such queue', data: { queue: 'q' } });
  });

  test('ask and answer a question', async () => {
    const atOnce = (await open(clientName, server)).callTool('question-at-once', { key: 'asks' });
    expect(await atOnce).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
    // A call that is known to send questions may get its own process, so its client begins and releases it.
    const { call, result } = await begun(clientName, `own-${server}`, 'question');
    await call('release');
    expect(await result()).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  test('cancel the call', async () => {
    const { call, result, handle, abort } = await begun(clientName, server, 'result');
    if (handle) await handle.cancel();
    else abort.abort(new Error('enough'));
    expect(await call('aborted')).toBe('aborted');
    await expect(result()).rejects.toMatchObject(handle ? { code: 'TASK_CANCELLED' } : { message: 'enough' });
    if (handle) expect(await handle.status()).toMatchObject({ status: 'cancelled' });
  });

  test('reach the end of the TTL', async () => {
    const { call, result, handle } = await begun(clientName, server, 'result');
    if (handle) {
      expect(await handle.status()).toMatchObject({ status: 'working', ttlMs: TTL_MS });
      if (isPassed(clientName, server)) await call('expire');
      else clock.jump(TTL_MS);
      expect(await call('aborted')).toBe('aborted');
      return await expect(handle.status()).rejects.toMatchObject({ rpcCode: -32602 });
    }
    clock.jump(TTL_MS);
    await call('expire');
    if (/required/.test(server)) {
      // It is a task between the host and the server.
      expect(await call('aborted')).toBe('aborted');
      const message = expect.stringMatching(/was called as a task and may have run/);
      return await expect(result()).rejects.toMatchObject({ rpcCode: -32603, message });
    }
    await call('release');
    expect(await result()).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('lose the connection', async () => {
    const { client, call, result, handle } = await begun(clientName, server, 'result');
    const saved = JSON.parse(JSON.stringify(handle ?? null));
    await client.close();
    if (!handle) {
      await expect(result()).rejects.toThrow();
      return expect(await call('aborted')).toBe('aborted');
    }
    await call('release');
    const resumed = await resumeTask(await open(clientName, server), saved);
    expect(await resumed.result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(await call('runs')).toBe('1');
  });
});
