// Servers of 2025-11-25 that keep tasks for less time than the host, or cannot cancel them.

import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { Host } from '../../src/host/host.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import { hostTasks } from '../../src/mcp/extensions/tasks/host-tasks.ts';
import { rawSession } from './raw-session.ts';

const entry = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/tasks/lacks-cancel.mjs', import.meta.url))],
};

async function started() {
  const extensions = [hostTasks({ ttlMs: 1_000_000.5 })];
  const host = new Host({ mcpServers: { only: entry } } as never, { extensions });
  onTestFinished(() => host.stop());
  await host.start();
  const raw = await rawSession({ connect: (channel) => serve(host.service('only'), channel) });
  onTestFinished(() => raw.close());
  return { host, ...raw };
}

const textOf = (result: unknown) =>
  JSON.parse((result as { content: { text: string }[] }).content[0]!.text) as Record<string, unknown>;

test.each([
  ['a client without tasks', {}, undefined, 1_000_001],
  ['a client with the extension', undefined, undefined, 1_000_001],
  ['a 2025-11-25 client', 'initialize', {}, 1_000_001],
  ['a 2025-11-25 client that wants less', 'initialize', { ttl: 5_000.5 }, 5_001],
] as const)('the server keeps the task of %s for as long as the host does', async (_, kind, task, ttl) => {
  const { host, modern, request, initialize } = await started();
  if (kind === 'initialize') await initialize();
  const params = { name: 'job', ...(task && { task }) };
  const calling = kind === 'initialize' ? request('tools/call', params) : modern('tools/call', params, kind);
  if (kind !== 'initialize' && kind !== undefined) {
    await host.callTool('only', 'end', {});
    return expect(textOf((await calling).result)).toEqual({ ttl });
  }
  const { result } = await calling;
  const taskId = (result!.taskId ?? (result!.task as { taskId: string }).taskId) as string;
  await host.callTool('only', 'end', {});
  const ended = async () => {
    if (kind === 'initialize') return (await request('tasks/result', { taskId })).result;
    return (await modern('tasks/get', { taskId })).result!.result;
  };
  await expect.poll(async () => textOf((await ended()) ?? { content: [{ text: '{}' }] })).toEqual({ ttl });
});

test('a handle reports that the server cannot cancel its task, which continues', async () => {
  const client = await connect(entry);
  onTestFinished(() => client.close());
  const handle = await client.callTool('job', {}, { task: 'handle' });
  await expect(handle.cancel()).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
    message: 'The server cannot cancel tasks: it does not declare "tasks.cancel". The task continues',
  });
  await client.callTool('end');
  expect(await handle.result()).toMatchObject({ content: [{ text: '{}' }] });
  expect(textOf(await client.callTool('methods'))).not.toContain('tasks/cancel');
});

test('a host cancels its task, and does not send what the server refuses', async () => {
  const { host, modern } = await started();
  const { result } = await modern('tools/call', { name: 'job' });
  const { taskId } = result as { taskId: string };
  expect((await modern('tasks/cancel', { taskId })).error).toBeUndefined();
  expect((await modern('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
  expect(textOf(await host.callTool('only', 'methods', {}))).not.toContain('tasks/cancel');
});
