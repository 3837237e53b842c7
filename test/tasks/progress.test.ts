// In 2025-11-25 the progress token of a call stays valid after its answer, until the task ends: at our server, our client,
// and a host between a server that reports only progress and clients of all kinds.

import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { Host } from '../../src/host/host.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import { tasks } from '../../src/mcp/extensions/tasks/tasks.ts';
import type { Call } from '../../src/mcp/server/call.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { rawSession } from './raw-session.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const file = fileURLToPath(new URL('../fixtures/tasks/reports-progress.mjs', import.meta.url));
const reports = { command: process.execPath, args: [file], revision: '2025-11-25' };

const host = new Host({ mcpServers: { reports } } as never);
const closing: (() => Promise<unknown>)[] = [];
beforeAll(() => host.start());
afterAll(() => host.stop());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const report = (args: Record<string, unknown>) => host.callTool('reports', 'report', args);
const finish = () => host.callTool('reports', 'finish', {});

describe.each([
  ['the server', 'job', /^[0-9a-f]{32}$/],
  ['all servers as one', 'reports__job', /^standpipe:reports\/[0-9a-f]{32}$/],
])('a host that serves %s', (served, name, id) => {
  async function open() {
    const service = host.service(served === 'the server' ? 'reports' : undefined);
    const session = await rawSession({ connect: (channel) => serve(service, channel) });
    closing.push(() => session.close());
    const progress = () =>
      session.got.flatMap(({ method, params }) => (method === 'notifications/progress' ? [params] : []));
    return { ...session, progress };
  }

  test('turns the progress of a task into the message of its status', async () => {
    const { modern, progress } = await open();
    const { taskId } = (await modern('tools/call', { name })).result as { taskId: string };
    const state = async () => (await modern('tasks/get', { taskId })).result;
    await report({ progress: 1, total: 4 });
    await expect.poll(state).toMatchObject({ status: 'working', statusMessage: '1 of 4' });
    await report({ progress: 2, total: 4, message: 'painting' });
    await expect.poll(state).toMatchObject({ status: 'working', statusMessage: 'painting' });
    await finish();
    await expect.poll(state).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    expect(progress()).toEqual([]);
  });

  test('passes the progress of a task on to a 2025-11-25 client, until the task ends', async () => {
    const { request, initialize, progress } = await open();
    await initialize();
    const { result } = await request('tools/call', { name, task: {}, _meta: { progressToken: 'mine' } });
    const { taskId } = result!.task as { taskId: string };
    expect(taskId).toMatch(id);
    await report({ progress: 1, total: 4 });
    await report({ progress: 1, total: 4, message: 'not more' });
    await report({ progress: 2, total: 4, message: 'painting' });
    const common = { progressToken: 'mine', total: 4, _meta: { [RELATED]: { taskId } } };
    const sent = [
      { progress: 1, ...common },
      { progress: 2, message: 'painting', ...common },
    ];
    await expect.poll(progress).toEqual(sent);
    expect((await request('tasks/get', { taskId })).result).toMatchObject({ statusMessage: 'painting' });
    await finish();
    expect((await request('tasks/result', { taskId })).result).toMatchObject({ content: [{ text: 'done' }] });
    await host.callTool('reports', 'report-late', { progress: 3, total: 4 });
    await request('tools/list');
    expect(progress()).toEqual(sent);
  });

  test.each(['2025-11-25', '2025-06-18'])('passes it on to a %s client of a plain call', async (revision) => {
    const { request, initialize, progress } = await open();
    await initialize(revision);
    const calling = request('tools/call', { name, _meta: { progressToken: 7 } });
    expect((await report({ progress: 1 })).content).toMatchObject([{ text: 'reported' }]);
    await expect.poll(progress).toContainEqual({ progressToken: 7, progress: 1 });
    await finish();
    expect((await calling).result).toMatchObject({ content: [{ text: 'done' }] });
  });
});

function worker() {
  const server = new Server({ name: 'worker', version: '1' }, { extensions: [tasks({ pollMs: 10 })] });
  const calls: Call[] = [];
  const ends: (() => void)[] = [];
  server.tool('work', { task: 'optional' }, async (_, call) => {
    calls.push(call);
    await new Promise<void>((resolve) => ends.push(resolve));
    return 'done';
  });
  closing.push(() => server.close());
  return { server, calls, ends };
}

test('our server reports progress of a task by the token of its call', async () => {
  const { server, calls, ends } = worker();
  const { request, initialize, got } = await rawSession(server);
  await initialize();
  const params = { name: 'work', task: {}, _meta: { progressToken: 'mine' } };
  const { taskId } = (await request('tools/call', params)).result!.task as { taskId: string };
  calls[0]!.progress(1, 2, 'half');
  ends[0]!();
  await request('tasks/result', { taskId });
  calls[0]!.progress(2, 2, 'late');
  await request('ping');
  const progress = got.flatMap(({ method, params }) => (method === 'notifications/progress' ? [params] : []));
  const _meta = { [RELATED]: { taskId } };
  expect(progress).toEqual([{ progressToken: 'mine', progress: 1, total: 2, message: 'half', _meta }]);
});

test('our client gets the progress of a task that the server reports by the token', async () => {
  const { server, calls, ends } = worker();
  const [here, there] = memoryPair();
  await server.connect(there);
  const client = await connect(here, { revision: '2025-11-25' });
  closing.push(() => client.close());
  const seen: object[] = [];
  const handle = await client.callTool('work', {}, { task: 'handle', onProgress: (step) => seen.push(step) });
  const wait = handle.result();
  calls[0]!.progress(1, 8);
  calls[0]!.progress(3, 8, 'painting');
  await expect.poll(() => seen).toContainEqual(expect.objectContaining({ progress: 3, total: 8, message: 'painting' }));
  expect(seen[0]).toMatchObject({ progress: 1, total: 8 });
  ends[0]!();
  expect(await wait).toMatchObject({ content: [{ text: 'done' }] });
});
