// Messages of a server that name no request, and the callers they may belong to: a server whose every line is written by the test.

import { expect, test } from 'vitest';
import type { JsonRpcMessage, JsonRpcRequest } from '../../src/jsonrpc/message.ts';
import { openClient } from '../../src/mcp/client/opening/open-client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import type { InputRequest, InputResponse } from '../../src/mcp/types.ts';
import { memoryPair } from '../../src/testing/index.ts';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';

const capabilities = { tools: {}, logging: {} };
const opened = {
  initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } },
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete' },
} as Record<string, object>;

/** Holds back the answers to all requests, and asks what it is told to ask. */
async function start(options: ClientOptions) {
  const [near, far] = memoryPair();
  const held: JsonRpcRequest[] = [];
  const answers = new Map<unknown, (answer: unknown) => void>();
  let arrived: (() => void) | undefined;
  far.onmessage = (message) => {
    const { id, method, result, error } = message as unknown as JsonRpcRequest & { result?: object; error?: object };
    if (method === undefined) answers.get(id)?.(result ?? error);
    else if (opened[method]) void far.send({ jsonrpc: '2.0', id, result: { ...opened[method] } });
    else if (id !== undefined) held.push(message as unknown as JsonRpcRequest);
    arrived?.();
  };
  await far.start();
  const client = await openClient({ open: () => near, canReopen: false, key: undefined }, options);
  const send = (message: object) => far.send({ jsonrpc: '2.0', ...message } as JsonRpcMessage);
  return {
    service: client.service,
    close: () => client.close(),
    send,
    ask: (mode = 'form') =>
      new Promise((resolve) => {
        const id = `q${answers.size}`;
        answers.set(id, resolve);
        void send({ id, method: 'elicitation/create', params: { mode, message: 'Who?' } });
      }),
    /** Resolves when the server has that many requests. */
    async has(count: number) {
      while (held.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    answer: (at: number) => send({ id: held[at]!.id, result: { content: [] } }),
  };
}

const accepting = (name: string) =>
  new TestCaller(async (_question: InputRequest): Promise<InputResponse> => ({ action: 'accept', content: { name } }));
const accepted = (name: string) => ({ action: 'accept', content: { name } });

test('a question of a legacy server goes to the only caller, and to the handlers while there are several', async () => {
  const server = await start({ era: 'legacy', elicit: () => ({ action: 'decline' }) });
  const { service } = server;
  expect(await server.ask()).toEqual({ action: 'decline' });
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const first = service.request('tools/call', { name: 'a' }, ada);
  await server.has(1);
  expect(await server.ask()).toEqual(accepted('Ada'));
  const second = service.request('tools/call', { name: 'b' }, alan);
  await server.has(2);
  expect(await server.ask()).toEqual({ action: 'decline' });
  await server.answer(0);
  await first;
  expect(await server.ask()).toEqual(accepted('Alan'));
  await server.answer(1);
  await second;
  expect(await server.ask()).toEqual({ action: 'decline' });
  await server.close();
});

test('several requests of one client are no doubt about whom to ask', async () => {
  const server = await start({ era: 'legacy', elicit: () => ({ action: 'decline' }) });
  const caller = accepting('Ada');
  const requests = ['a', 'b'].map((name) => server.service.request('tools/call', { name }, caller));
  await server.has(2);
  expect(await server.ask()).toEqual(accepted('Ada'));
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  await server.close();
});

test('a caller is not asked what its client did not declare, nor because of a list', async () => {
  const server = await start({
    era: 'legacy',
    elicitModes: ['form', 'url'],
    elicit: () => ({ action: 'decline' }),
  });
  const call = server.service.request('tools/call', { name: 'a' }, accepting('Ada'));
  const list = server.service.request('tools/list', {}, accepting('Alan'));
  await server.has(2);
  expect(await server.ask('url')).toEqual({ action: 'decline' });
  expect(await server.ask('form')).toEqual(accepted('Ada'));
  await Promise.all([server.answer(0), server.answer(1), call, list]);
  await server.close();
});

test('a log message of a modern server goes to the only caller that wants it, and to watchers otherwise', async () => {
  const server = await start({ era: 'modern' });
  const watcher = new TestWatcher({ logs: 'info' });
  await server.service.watch(watcher);
  const log = (data: string) => server.send({ method: 'notifications/message', params: { level: 'info', data } });
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const requests = [server.service.request('tools/call', { name: 'a' }, ada)];
  await server.has(1);
  await log('one');
  await ada.until(() => ada.logged.length === 1);
  requests.push(server.service.request('tools/call', { name: 'b' }, alan));
  await server.has(2);
  await log('two');
  await watcher.until(() => watcher.heard.length === 1);
  expect(ada.logged).toEqual([{ level: 'info', data: 'one' }]);
  expect(alan.logged).toEqual([]);
  expect(watcher.heard).toEqual([{ method: 'notifications/message', params: { level: 'info', data: 'two' } }]);
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  await server.close();
});
