// The official client for tasks (npm `@modelcontextprotocol/ext-tasks`) with our server, in both forms: over stdio, and over HTTP
// through `up --http`.

import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  type ConnectedMcpSessionPort,
  resultFromTaskOutcome,
  type SessionTaskCapabilities,
  type TaskEnabledSession,
  toolDeclaration,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { register } from '../../src/mcp/extensions/extension.ts';
import { taskMethods } from '../../src/mcp/extensions/tasks/tasks.ts';
import { HttpClientTransport } from '../../src/wire/transport/http/http-client.ts';
import { gatewayIn, startCli, stopHost, writeConfig } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';
import { type Message, rawSessionOver } from './raw-session.ts';

const file = fileURLToPath(new URL('../fixtures/tasks/renders.mjs', import.meta.url));
const entry = { command: process.execPath, args: [file] };

let gateway: { url: string; token: string };
beforeAll(async () => {
  register([taskMethods]);
  const config = writeConfig('ext-tasks.json', { renders: entry });
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

const ways = {
  stdio: () => new StdioClientTransport(entry),
  // Not the official one: that of 2.4 leaves out `Mcp-Name` of requests about tasks.
  HTTP: () =>
    new HttpClientTransport({
      url: `${gateway.url}/renders`,
      headers: { authorization: `Bearer ${gateway.token}` },
    }),
};
const forms = ['v1', 'v2'] as const;
const cells = Object.keys(ways).flatMap((way) => forms.map((form) => [form, way as keyof typeof ways] as const));

/** Opens a connection in the form that the package expects. */
async function opened(form: (typeof forms)[number], way: keyof typeof ways) {
  const session = await rawSessionOver(ways[way]() as never);
  closing.push(() => session.close());
  let taskCapabilities: SessionTaskCapabilities;
  if (form === 'v1') {
    const { capabilities } = (await session.initialize()).result as { capabilities: { tasks: object } };
    await session.notify('notifications/initialized');
    taskCapabilities = { generation: 'v1', capabilities: capabilities.tasks as never };
  } else taskCapabilities = { generation: 'v2', capabilities: {} as never };
  const port: ConnectedMcpSessionPort = {
    endpointId: 'renders',
    taskCapabilities,
    invalidated: false,
    async dispatch(request) {
      const { method, params = {} } = request as { method: string; params?: object };
      const { result, error } = await (form === 'v1' ? session.request : session.modern)(method, params);
      return error ? { kind: 'error', error: error as never } : { kind: 'result', result: result as never };
    },
    onServerRequest: (handler) =>
      session.listen(async ({ id, method, params }: Message) => {
        if (id === undefined) return;
        const answer = await handler({
          request: { jsonrpc: '2.0', id, method: method!, params: params as never },
          requestContext: undefined,
        });
        if (answer?.kind === 'result') await session.answer(id, answer.result as object);
      }),
    onNotification: (listener) => session.listen((message) => message.id === undefined && listener(message as never)),
    onInvalidated: () => () => undefined,
  };
  const client = withTasks(port, {
    onInputRequest: async () => ({ action: 'accept', content: { size: 'A4' } }) as never,
  });
  closing.push(() => client.close());
  return { client, session };
}

function call(client: TaskEnabledSession, name: string) {
  const declaration = toolDeclaration({ name, inputSchema: { type: 'object' }, taskSupport: 'required' });
  return client.callTool(name, {}, { declaration, task: { preference: 'prefer' } });
}

describe.each(cells)('the official client of %s over %s', (form, way) => {
  test('follows a task to its result', async () => {
    const { client } = await opened(form, way);
    const execution = await call(client, 'work');
    expect(execution.kind).toBe('task');
    await client.callTool('release', {});
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: 'both frames are rendered' }] });
  });

  test('gets a tool error', async () => {
    const { outcome } = await (await call((await opened(form, way)).client, 'tool-error')).settle();
    if (form === 'v2')
      expect(outcome).toMatchObject({ result: { isError: true, content: [{ text: 'the disk is full' }] } });
    else expect(outcome).toMatchObject({ status: 'failed', error: { message: 'The tool reported an error.' } });
  });

  test('gets a protocol error as a failure', async () => {
    const { outcome } = await (await call((await opened(form, way)).client, 'protocol-error')).settle();
    expect(outcome).toMatchObject({ status: 'failed', error: { message: 'no such queue' } });
  });

  test('cancels a task', async () => {
    const execution = await call((await opened(form, way)).client, 'never');
    await execution.cancel();
    expect((await execution.settle()).outcome).toMatchObject({ status: 'cancelled' });
  });

  test('answers the question of a task', async () => {
    const { client, session } = await opened(form, way);
    const execution = await call(client, 'asks');
    if (form === 'v1') {
      // It only polls a task that needs input. The specification recommends `tasks/result` then, which brings the question.
      const isAsking = ({ result }: Message) => result?.status === 'input_required';
      await expect.poll(() => session.got.some(isAsking)).toBe(true);
      const { taskId } = session.got.find(isAsking)!.result!;
      await session.request('tasks/result', { taskId });
    }
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: 'accept: A4' }] });
  });
});
