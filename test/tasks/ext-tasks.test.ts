// The official client for tasks (npm `@modelcontextprotocol/ext-tasks`) with our server, in both forms.

import {
  type ConnectedMcpSessionPort,
  resultFromTaskOutcome,
  type SessionTaskCapabilities,
  toolDeclaration,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client';
import { afterEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../src/base/errors.ts';
import { tasks } from '../../src/mcp/extensions/tasks/tasks.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { type Message, rawSession } from './raw-session.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function taskServer() {
  const server = new Server({ name: 'worker', version: '1' }, { extensions: [tasks({ afterMs: 0, pollMs: 10 })] });
  const form = { type: 'object' as const, properties: { name: { type: 'string' } } };
  server.tool('greet', { task: 'optional' }, async (_, call) => {
    const { content } = await call.elicit({ message: 'Name?', requestedSchema: form });
    return `Hello, ${content?.name}`;
  });
  server.tool('work', { task: 'optional' }, async () => 'worked');
  server.tool('fail', { task: 'optional' }, async () => {
    throw new RpcError(-32050, 'no such queue');
  });
  server.tool('forever', { task: 'optional' }, (_, call) => {
    return new Promise<string>((_resolve, reject) =>
      call.signal.addEventListener('abort', () => reject(call.signal.reason)),
    );
  });
  return server;
}

const forms = ['v1', 'v2'] as const;

/** Opens a connection in the form that the package expects. */
async function opened(form: (typeof forms)[number]) {
  const server = taskServer();
  const session = await rawSession(server);
  closing.push(
    () => server.close(),
    () => session.close(),
  );
  let taskCapabilities: SessionTaskCapabilities;
  if (form === 'v1') {
    const { capabilities } = (await session.initialize()).result as { capabilities: { tasks: object } };
    taskCapabilities = { generation: 'v1', capabilities: capabilities.tasks as never };
  } else taskCapabilities = { generation: 'v2', capabilities: {} as never };
  const port: ConnectedMcpSessionPort = {
    endpointId: 'worker',
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
    onInputRequest: async () => ({ action: 'accept', content: { name: 'Ada' } }) as never,
  });
  closing.push(() => client.close());
  const declaration = (name: string) =>
    toolDeclaration({ name, inputSchema: { type: 'object' }, taskSupport: 'optional' });
  return (name: string) =>
    client.callTool(name, {}, { declaration: declaration(name), task: { preference: 'prefer' } });
}

test('the official client of v2 answers the question of a task', async () => {
  // The v1 client does not send tasks/result when a task needs input, as the specification of 2025-11-25 recommends.
  const execution = await (await opened('v2'))('greet');
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ada' }] });
});

describe.each(forms)('the official client of %s', (form) => {
  test('follows a task to its result', async () => {
    const execution = await (await opened(form))('work');
    expect(execution.kind).toBe('task');
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: 'worked' }] });
  });

  test('gets a protocol error as a failure', async () => {
    const { outcome } = await (await (await opened(form))('fail')).settle();
    expect(outcome).toMatchObject({ status: 'failed', error: { message: 'no such queue' } });
  });

  test('cancels a task', async () => {
    const execution = await (await opened(form))('forever');
    await execution.cancel();
    expect((await execution.settle()).outcome).toMatchObject({ status: 'cancelled' });
  });
});
