// Behaviour of every service. The handlers of test/fixtures/service-contract run in this process (`declare`) or in another one
// (`server.mjs`). A skip has a reason, which the report shows.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Params, Result, Service } from '../../src/mcp/service.ts';
import { TestCaller, TestWatcher } from './test-caller.ts';

/** Path of a server that serves the handlers of this contract on stdio. */
export const contractServer = fileURLToPath(new URL('../fixtures/service-contract/server.mjs', import.meta.url));

export interface OpenedService {
  service: Service;
  close(): Promise<void>;
}

export interface ServiceContractInputs {
  /** Rules that this service cannot keep, with the reasons. */
  skip?: Record<string, string>;
  /** Prefix of the names of tools in lists. */
  listedWith?: string;
}

export function serviceContract(
  name: string,
  open: () => Promise<OpenedService>,
  inputs: ServiceContractInputs = {},
): void {
  const skip = new Map(Object.entries(inputs.skip ?? {}));
  const rule = (sentence: string, check: () => Promise<void>) => {
    const reason = skip.get(sentence);
    skip.delete(sentence);
    if (reason === undefined) it(sentence, check);
    else it.skip(`${sentence} (${reason})`, check);
  };

  describe(`${name} as a service`, () => {
    let opened: OpenedService;
    let service: Service;
    beforeAll(async () => {
      opened = await open();
      service = opened.service;
    });
    afterAll(() => opened?.close());

    const request = async (method: string, params: Params, caller = new TestCaller()): Promise<Result> =>
      service.request(method, params, caller);
    const call = (tool: string, args: Params = {}, caller?: TestCaller, more: Params = {}) =>
      request('tools/call', { name: tool, arguments: args, ...more }, caller);
    const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

    rule('it describes itself', async () => {
      const { info, capabilities } = await service.describe();
      expect(info.name).toEqual(expect.any(String));
      expect(capabilities.tools).toBeDefined();
    });

    rule('it lists its tools', async () => {
      const { tools } = await request('tools/list', {});
      expect(tools).toContainEqual(expect.objectContaining({ name: `${inputs.listedWith ?? ''}echo` }));
    });

    rule('it calls a tool', async () => {
      expect(await call('echo', { text: 'hello\n漢 \u2028' })).toMatchObject(text('hello\n漢 \u2028'));
    });

    rule('it reads resources, gets prompts and completes', async () => {
      expect(await request('resources/read', { uri: 'mem://watched' })).toMatchObject({
        contents: [{ uri: 'mem://watched', text: 'The text of watched' }],
      });
      expect(await request('prompts/get', { name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
        messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }],
      });
      const ref = { type: 'ref/prompt', name: 'greet' };
      expect(await request('completion/complete', { ref, argument: { name: 'name', value: 'Al' } })).toMatchObject({
        completion: { values: ['Alan'] },
      });
    });

    rule('`_meta` and unknown members pass unchanged', async () => {
      const result = { content: [], 'com.example/unknown': [null, { deep: 'é' }], _meta: { 'com.example/a': [1, {}] } };
      const trace = { id: 'x', list: [1, null, true] };
      const passed = await call('opaque', { result }, undefined, { _meta: { 'com.example/trace': trace } });
      expect(passed['com.example/unknown']).toEqual(result['com.example/unknown']);
      expect(passed._meta).toMatchObject({ 'com.example/a': [1, {}], seen: trace });
    });

    rule('an answer with an error passes with code, message and data unchanged', async () => {
      for (const refusal of [
        { code: -32000, message: 'No.', data: { why: ['a', { b: null }] } },
        { code: 7, message: 'No data.' },
      ]) {
        const { code, message, data } = refusal as { code: number; message: string; data?: unknown };
        await expect(call('refuse', refusal)).rejects.toMatchObject({ name: 'RpcError', rpcCode: code, message, data });
      }
    });

    rule('an unknown method is refused with the code of JSON-RPC', async () => {
      await expect(request('com.example/nope', {})).rejects.toMatchObject({ name: 'RpcError', rpcCode: -32601 });
    });

    rule('an unknown tool is refused', async () => {
      await expect(call('nope')).rejects.toMatchObject({ name: 'RpcError', rpcCode: -32602 });
    });

    rule('a failing tool returns a result with isError', async () => {
      expect(await call('fail', { message: 'disk full' })).toMatchObject({ isError: true, ...text('disk full') });
    });

    rule('progress goes to the caller of its request', async () => {
      const callers = Array.from({ length: 20 }, () => new TestCaller());
      const results = callers.map((caller, at) => call('slow-echo', { text: `no ${at}` }, caller));
      expect(await Promise.all(results)).toMatchObject(callers.map((_, at) => text(`no ${at}`)));
      for (const [at, { progressed }] of callers.entries()) {
        expect(progressed).toMatchObject([
          { progress: 1, total: 2, message: `no ${at}` },
          { progress: 2, total: 2, message: `no ${at}` },
        ]);
      }
    });

    rule('a log message goes to the caller of its request', async () => {
      const caller = new TestCaller();
      await call('log', { level: 'warning', data: { hot: true } }, caller);
      await caller.until(() => caller.logged.length > 0);
      expect(caller.logged).toMatchObject([{ level: 'warning', logger: 'contract', data: { hot: true } }]);
    });

    rule('a question goes to its caller, and the answer to the handler', async () => {
      const caller = new TestCaller(async () => ({ action: 'accept', content: { name: 'Ada' } }));
      expect(await call('ask', { message: 'Who?' }, caller)).toMatchObject({
        structuredContent: { answer: { action: 'accept', content: { name: 'Ada' } } },
      });
      expect(caller.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who?' } }]);
    });

    rule('each of several callers gets only its own question', async () => {
      const callers = ['Ada', 'Alan', 'Grace'].map(
        (name) => new TestCaller(async () => ({ action: 'accept', content: { name } })),
      );
      const results = await Promise.all(callers.map((caller, at) => call('ask', { message: `Who is ${at}?` }, caller)));
      expect(results).toMatchObject(
        ['Ada', 'Alan', 'Grace'].map((name) => ({ structuredContent: { answer: { content: { name } } } })),
      );
      expect(callers.map(({ asked }) => asked)).toMatchObject(
        callers.map((_, at) => [{ params: { message: `Who is ${at}?` } }]),
      );
    });

    rule('a failed question ends only its own request', async () => {
      const caller = new TestCaller(() => Promise.reject(new Error('nobody there')));
      const outcome = await call('ask', { message: 'Who?' }, caller).catch((error: unknown) => error);
      expect(outcome).toBeDefined();
      expect(await call('echo', { text: 'still here' })).toMatchObject(text('still here'));
    });

    rule('a cancellation by the caller reaches the handler', async () => {
      const { content } = (await call('cancelled', { atLeast: 0 })) as { content: { text: string }[] };
      const caller = new TestCaller();
      const ended = call('wait', {}, caller).catch(() => undefined);
      await caller.until(() => caller.progressed.length > 0);
      caller.cancel();
      await call('cancelled', { atLeast: Number(content[0]!.text) + 1 });
      await ended;
    });

    rule('each of many concurrent requests gets its own result', async () => {
      const results = await Promise.all(Array.from({ length: 200 }, (_, at) => call('echo', { text: `no ${at}` })));
      expect(results).toMatchObject(Array.from({ length: 200 }, (_, at) => text(`no ${at}`)));
    });

    rule('known and unknown notifications of a client are accepted', async () => {
      const { client } = new TestCaller();
      service.notify('notifications/roots/list_changed', undefined, client);
      service.notify('notifications/com.example/other', { unknown: [1] }, client);
      expect(await call('echo', { text: 'still here' })).toMatchObject(text('still here'));
    });

    rule('a subscriber gets changes of the lists in its filter', async () => {
      const [tools, prompts] = [
        new TestWatcher({ toolsListChanged: true }),
        new TestWatcher({ promptsListChanged: true }),
      ];
      const stops = [await service.watch(tools), await service.watch(prompts)];
      await call('change');
      await tools.until(() => tools.heard.length > 0);
      expect(tools.heard[0]?.method).toBe('notifications/tools/list_changed');
      expect(prompts.heard).toEqual([]);
      for (const stop of stops) stop();
      const heard = tools.heard.length;
      const later = new TestWatcher({ toolsListChanged: true });
      const stopLater = await service.watch(later);
      await call('change');
      await later.until(() => later.heard.length > 0);
      expect(tools.heard).toHaveLength(heard);
      stopLater();
    });

    rule('a subscriber gets updates of the resources in its filter until it unsubscribes', async () => {
      const [first, second] = [1, 2].map(() => new TestWatcher({ resourceSubscriptions: ['mem://watched'] })) as [
        TestWatcher,
        TestWatcher,
      ];
      const [stopFirst, stopSecond] = [await service.watch(first), await service.watch(second)];
      await call('touch', { uri: 'mem://other' });
      await call('touch', { uri: 'mem://watched' });
      await first.until(() => first.heard.length > 0);
      await second.until(() => second.heard.length > 0);
      expect(first.heard[0]).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri: 'mem://watched' },
      });
      stopFirst();
      const heard = first.heard.length;
      await call('touch', { uri: 'mem://watched' });
      await second.until(() => second.heard.length > 1);
      expect(first.heard).toHaveLength(heard);
      stopSecond();
    });

    rule('a subscriber gets log messages that are unrelated to a request', async () => {
      const watcher = new TestWatcher({ logs: 'warning' });
      const stop = await service.watch(watcher);
      await call('say', { level: 'info', data: 'quiet' });
      await call('say', { level: 'error', data: 'loud' });
      await watcher.until(() => watcher.heard.length > 0);
      expect(watcher.heard).toMatchObject([
        { method: 'notifications/message', params: { level: 'error', data: 'loud' } },
      ]);
      stop();
    });

    rule('a closed service refuses requests and ends its subscriptions', async () => {
      const other = await open();
      const watcher = new TestWatcher({ toolsListChanged: true });
      await other.service.watch(watcher);
      await other.close();
      await watcher.until(() => watcher.isEnded);
      const late = async () => other.service.request('tools/list', {}, new TestCaller());
      await expect(late()).rejects.toThrow();
    });

    it('skips only rules of this contract', () => expect([...skip.keys()]).toEqual([]));
  });
}
