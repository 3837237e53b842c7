// Tasks with servers on the official SDK 1.x: our client in 2025-11-25, and a client of 2026-07-28 at `up --http`, with task handles and
// without. The official client for tasks with our server: test/tasks/ext-tasks.test.ts.

import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import type { CallOptions } from '../../src/mcp/client/options.ts';
import { gatewayIn, startCli, stopHost, writeConfig } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';

const path = (name: string) => fileURLToPath(new URL(`../fixtures/interop/${name}`, import.meta.url));
const official = { command: process.execPath, args: [path('official-1-tasks.mjs')] };
const everything = {
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))],
};

let gateway: { url: string; token: string };
beforeAll(async () => {
  const config = writeConfig('official-tasks.json', { official, everything });
  const host = startCli(['up', '--no-inspector', '--config', config, '--http', '0']);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  await until('it serves', () => gatewayIn(log) !== undefined, 60_000);
  gateway = gatewayIn(log)!;
  return () => stopHost(host);
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => expect(closing).toEqual([]));

const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada', interpretation: 'snake' } });
const servers = { official, everything };

async function open(way: string, server: keyof typeof servers): Promise<Client> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  const client = await (way === 'over stdio'
    ? connect(servers[server], { elicit })
    : connect({ url: `${gateway.url}/${server}`, headers }, { elicit }));
  closing.push(() => client.close());
  expect(client.server.revision).toBe(way === 'over stdio' ? '2025-11-25' : '2026-07-28');
  return client as unknown as Client;
}

const finish = (client: Client) => async () => {
  const { content } = await client.callTool('finish', {});
  return Number((content[0] as { text: string }).text);
};

describe.each(['over stdio', 'at the gateway'])('our client of a server on the official SDK 1.x, %s,', (way) => {
  /** Ends the tool when it runs, as often as it waits. */
  async function called(tool: string, options: CallOptions = {}, waits = 1) {
    const client = await open(way, 'official');
    const result = client.callTool(tool, {}, options);
    for (let times = 0; times < waits; times++) await expect.poll(finish(client)).toBe(1);
    return result;
  }

  test('gets the result of a task', async () => {
    expect(await called('result')).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('gets a tool error', async () => {
    expect(await called('tool-error')).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
  });

  test('answers a question', async () => {
    expect(await called('question')).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  test('gets progress after the task was created', async () => {
    const client = await open(way, 'official');
    const seen: (string | undefined)[] = [];
    const result = client.callTool('progress', {}, { onProgress: ({ message }) => void seen.push(message) });
    await expect.poll(finish(client)).toBe(1);
    await expect.poll(() => seen).toContain('half');
    await expect.poll(finish(client)).toBe(1);
    expect(await result).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('follows a task by its handle', async () => {
    const client = await open(way, 'official');
    const handle = await client.callTool('result', {}, { task: 'handle' });
    expect(handle.taskId).not.toBe('');
    expect(await handle.status()).toMatchObject({ status: 'working' });
    await expect.poll(finish(client)).toBe(1);
    expect(await handle.result()).toMatchObject({ content: [{ text: 'done' }] });
    expect(await handle.status()).toMatchObject({ status: 'completed' });
  });

  test('cancels a task', async () => {
    const client = await open(way, 'official');
    const handle = await client.callTool('result', {}, { task: 'handle' });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    await expect.poll(finish(client)).toBe(1);
  });

  test('runs the task of server-everything, which asks for a clarification', async () => {
    const client = await open(way, 'everything');
    const result = await client.callTool('simulate-research-query', { topic: 'python', ambiguous: true });
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('python (snake)') }] });
  });
});
