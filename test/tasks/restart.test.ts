// Tasks of a host that ends: the next host of the same config keeps them.

import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { SavedTask, TaskHandle } from '../../src/mcp/extensions/tasks/task-handle.ts';
import { resumeTask } from '../../src/mcp/extensions/tasks/tasks.ts';
import { folder, startCli, writeConfig } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { lacks } from '../fixtures/windows.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const args = [fileURLToPath(new URL('../fixtures/tasks/slow-server.mjs', import.meta.url))];
const entry = { command: process.execPath, args, tasks: { after: '1ms' } };
const config = writeConfig('tasks.json', { slow: entry, ends: entry });
const tokenFile = join(folder, 'two-tokens.json');
const tokens = { ada: await addToken(tokenFile, { name: 'ada' }), bob: await addToken(tokenFile, { name: 'bob' }) };
type Principal = keyof typeof tokens;

async function up(env: NodeJS.ProcessEnv) {
  const child = startCli(['up', '--no-inspector', '--config', config, '--http', '0', '--tokens', tokenFile], { env });
  let log = '';
  child.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(child, 'close');
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  closing.push(() => end('SIGKILL'));
  const url = () => /MCP over HTTP at (\S+)/.exec(log)?.[1];
  await until('it serves', () => url() !== undefined);
  const open = async (principal: Principal, server: string) => {
    const target = { url: `${url()}/${server}`, headers: { authorization: `Bearer ${tokens[principal]}` } };
    const client = await connect(target);
    closing.push(() => client.close());
    return client;
  };
  return { end, open, log: () => log };
}

/** A running task and an ended one, each as its client would store it. */
async function twoTasks({ open }: Awaited<ReturnType<typeof up>>) {
  const [slow, ends] = await Promise.all([open('ada', 'slow'), open('ada', 'ends')]);
  const running = await slow.callTool('result', {}, { task: 'handle' });
  const completed = await ends.callTool('result', {}, { task: 'handle' });
  await slow.callTool('begun');
  await ends.callTool('release');
  await completed.result();
  const saved = (handle: TaskHandle) => JSON.parse(JSON.stringify(handle)) as SavedTask;
  return { running: saved(running), completed: saved(completed) };
}

test.skipIf(lacks.signals).each(['SIGKILL', 'SIGTERM'] as const)(
  'after %s, the next host returns the tasks of their principal with their outcomes',
  async (signal) => {
    const env = { XDG_STATE_HOME: join(temporaryFolder('state'), 'made') };
    const first = await up(env);
    const { running, completed } = await twoTasks(first);
    await first.end(signal);
    const [file] = readdirSync(join(env.XDG_STATE_HOME, 'standpipe'));
    expect(statSync(join(env.XDG_STATE_HOME, 'standpipe', file!)).mode & 0o777).toBe(0o600);
    const next = await up(env);
    const slow = await next.open('ada', 'slow');
    const failed = await resumeTask(slow, running);
    await expect(failed.result()).rejects.toThrow(/may have run/);
    const state = await failed.status();
    expect(state).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/may have run/),
      error: { code: -32603, data: { 'dev.standpipe/error': { code: 'OUTCOME_UNKNOWN', ran: { server: 'slow' } } } },
    });
    expect(await failed.status()).toEqual(state);
    await failed.cancel();
    expect(await failed.status()).toEqual(state);
    const ended = await resumeTask(await next.open('ada', 'ends'), completed);
    expect(await ended.status()).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    for (const [server, { task }] of [
      ['slow', running],
      ['ends', completed],
    ] as const) {
      const { taskId } = task;
      const other = await next.open('bob', server);
      const unknown = await other.request('tasks/get', { taskId: '0'.repeat(32) }).catch((error) => error);
      const refused = await other.request('tasks/get', { taskId }).catch((error) => error);
      expect(refused).toMatchObject({ rpcCode: -32602, message: unknown.message });
    }
    // A task belongs to its server, even for its own principal.
    await expect(slow.request('tasks/get', { taskId: completed.task.taskId })).rejects.toMatchObject({
      rpcCode: -32602,
    });
  },
);

test.skipIf(lacks.signals)(
  'warns if the state folder cannot be used, and keeps tasks until the host ends',
  async () => {
    const env = { XDG_STATE_HOME: join(temporaryFolder('state'), 'a-file') };
    writeFileSync(env.XDG_STATE_HOME, '');
    const first = await up(env);
    const { running } = await twoTasks(first);
    expect(first.log()).toMatch(/\.records cannot be used: .*\. Tasks of this host may end with it/);
    await first.end('SIGKILL');
    const slow = await (await up(env)).open('ada', 'slow');
    await expect(slow.request('tasks/get', { taskId: running.task.taskId })).rejects.toMatchObject({ rpcCode: -32602 });
  },
);

test('a host in a program keeps tasks in its `stateFile`, and does not write plain calls', async () => {
  const stateFile = join(temporaryFolder('state'), 'records');
  const mcpServers = { slow: entry, late: { ...entry, tasks: { after: '10m' } } };
  const run = async () => {
    const host = new Host({ mcpServers } as never, { stateFile });
    const serving = await serveHttp((name) => host.service(name), { token: 'secret' } as never);
    const client = await connect({ url: serving.url, headers: { authorization: 'Bearer secret' } });
    const stop = async () => {
      await client.close();
      await serving.close();
      await host.stop();
    };
    return { client, stop };
  };
  const first = await run();
  await first.client.callTool('late__quick', {}, { task: 'handle' });
  expect(existsSync(stateFile)).toBe(false);
  const { taskId } = await first.client.callTool('slow__result', {}, { task: 'handle' });
  await first.stop();
  const second = await run();
  const state = await second.client.request('tasks/get', { taskId });
  await second.stop();
  expect(state).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/may have run/) } });
});
