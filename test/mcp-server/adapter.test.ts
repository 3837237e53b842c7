// A protocol adapter over any service: the requests that it answers itself, and those that it passes to the service.

import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { PeerError, RpcError } from '../../src/base/errors.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import type { Caller, ServiceFacts, Watcher } from '../../src/mcp/service.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { OpaqueService, sampled, sampling } from './opaque-service.ts';
import { META, RawClient, resultOf } from './raw-client.ts';

const ERROR = 'dev.standpipe/error';
const options = { 'dev.standpipe/call': { timeoutMs: 5, totalTimeoutMs: 50, repeatable: true } };

test('passes only methods outside MCP to the service', async () => {
  const service = new OpaqueService();
  const client = await RawClient.connect(service);
  await client.modern('com.example/a');
  await client.initialize();
  await client.request('com.example/b');
  for (const method of ['server/discover', 'subscriptions/listen']) {
    expect(await client.request(method)).toMatchObject({ error: { code: -32601 } });
  }
  expect(service.requests.map(({ method }) => method)).toEqual(['com.example/a', 'com.example/b']);
});

test('accepts a request after initialize before the service has described itself', async () => {
  const service = new OpaqueService((caller) => ({ revision: caller.client.revision }));
  let arrive: ((facts: ServiceFacts) => void) | undefined;
  service.describe = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  const client = await RawClient.connect(service);
  const opened = client.initialize('2025-03-26');
  expect(await client.request('com.example/a')).toMatchObject({ result: { revision: '2025-03-26' } });
  arrive!(service.facts);
  expect(await opened).toMatchObject({ result: { serverInfo: { name: 'opaque' }, protocolVersion: '2025-03-26' } });
});

test('sends nothing before initialize is answered and the client is initialized, and no undeclared change', async () => {
  const service = new OpaqueService();
  let arrive: ((facts: ServiceFacts) => void) | undefined;
  service.describe = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  const client = await RawClient.connect(service);
  const notify = () => {
    for (const kind of ['tools', 'prompts'] as const) {
      service.tell(`${kind}ListChanged`, `notifications/${kind}/list_changed`, undefined);
    }
    service.tell('logs', 'notifications/message', { level: 'info', data: 'x' });
    service.tell('others', 'notifications/com.example', undefined);
  };
  const shown = () => client.received.map(({ id, method }) => method ?? id);
  const initialize = { jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  const notifications = ['tools/list_changed', 'message', 'com.example'].map((method) => `notifications/${method}`);

  client.write({ ...initialize, id: 1 });
  client.notify('notifications/initialized');
  await client.request('ping', undefined, 2);
  notify();
  arrive!(service.facts);
  await client.until(({ id }) => id === 1);
  await client.request('ping', undefined, 3);
  expect(shown()).toEqual([2, 1, 3]);
  notify();
  await client.request('ping', undefined, 4);
  expect(shown()).toEqual([2, 1, 3, ...notifications, 4]);

  client.write({ ...initialize, id: 5 }); // a new session on the same connection
  await client.request('ping', undefined, 6);
  arrive!(service.facts);
  await client.until(({ id }) => id === 5);
  notify();
  client.notify('notifications/initialized');
  await client.request('ping', undefined, 7);
  notify();
  await client.request('ping', undefined, 8);
  expect(shown().slice(7)).toEqual([6, 5, 7, ...notifications, 8]);
});

test('a service that fails after its answer has answered', async () => {
  const service = new OpaqueService(() => ({ done: true }));
  service.describe = () => Promise.reject(new Error('gone'));
  const client = await RawClient.connect(service);
  expect(resultOf(await client.modern('com.example/a'))).toEqual({ resultType: 'complete', done: true, _meta: {} });
});

test('metadata of a result from the service overrides that of the adapter', async () => {
  const own = {
    resultType: 'complete',
    ttlMs: 7,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'upstream', version: '2' } },
  };
  const client = await RawClient.connect(new OpaqueService(() => own));
  expect(resultOf(await client.modern('tools/list'))).toEqual(own);
  await client.initialize();
  expect(resultOf(await client.request('tools/list'))).toEqual({ _meta: own._meta });
});

test('removes the call options of our client from the parameters', async () => {
  const service = new OpaqueService(({ options }) => ({ allowed: options }));
  const client = await RawClient.connect(service);
  const allowed = options['dev.standpipe/call'];
  expect(resultOf(await client.modern('a', { b: 1 }, {}, { ...options, c: 2 }))).toMatchObject({ allowed });
  await client.initialize();
  expect(resultOf(await client.request('a', { b: 1, _meta: { ...options, c: 2 } }))).toEqual({ allowed });
  expect(resultOf(await client.request('a', { b: 1, _meta: options }))).toEqual({ allowed });
  const wrong = { 'dev.standpipe/call': { timeoutMs: 'soon', repeatable: 1 } };
  expect(resultOf(await client.request('a', { _meta: wrong }))).toEqual({ allowed: {} });
  expect(service.requests[0]?.params._meta).not.toHaveProperty('dev.standpipe/call');
  expect(service.requests.slice(1).map(({ params }) => params)).toEqual([{ b: 1, _meta: { c: 2 } }, { b: 1 }, {}]);
});

test('errors keep class, code, hint and evidence only with `exposeErrors`', async () => {
  const details = { hint: 'Again.', evidence: { phase: 'running', stderrTail: 'secret' } } as const;
  const fails = [
    () => Promise.reject(new PeerError('OUTCOME_UNKNOWN', 'lost', details)),
    () => {
      throw new PeerError('OUTCOME_UNKNOWN', 'lost', details);
    },
  ];
  for (const fail of fails) {
    const plain = await RawClient.connect(new OpaqueService(fail));
    expect(await plain.request('a')).toMatchObject({ error: { code: -32603, message: 'lost' } });
    expect(JSON.stringify(plain.received)).not.toContain('secret');
    const exposing = await RawClient.connect(new OpaqueService(fail), { exposeErrors: true });
    const data = { [ERROR]: { kind: 'PeerError', code: 'OUTCOME_UNKNOWN', ...details } };
    expect(await exposing.request('a')).toMatchObject({ error: { code: -32603, message: 'lost', data } });
  }
  const refusing = new OpaqueService(() => Promise.reject(new RpcError(-32099, 'no', ['why'])));
  const client = await RawClient.connect(refusing, { exposeErrors: true });
  expect(await client.request('a')).toMatchObject({ error: { code: -32099, message: 'no', data: ['why'] } });
});

test('a legacy subscription is a watch of the service, which ends with it and with the connection', async () => {
  const service = new OpaqueService();
  const client = await RawClient.connect(service);
  await client.initialize();
  await client.request('resources/subscribe', { uri: 'a:1' });
  await client.request('resources/subscribe', { uri: 'a:1' });
  await client.request('resources/subscribe', { uri: 'a:2' });
  const uris = () => [...service.watchers].flatMap(({ filter }) => filter.resourceSubscriptions ?? []);
  expect(uris()).toEqual(['a:1', 'a:2']);
  await client.request('resources/unsubscribe', { uri: 'a:1' });
  expect(uris()).toEqual(['a:2']);
  for (const { filter, ended } of service.watchers) if (filter.resourceSubscriptions) ended!();
  service.watchers.clear();
  await client.request('resources/subscribe', { uri: 'a:2' });
  expect(uris()).toEqual(['a:2']);
  client.end();
  await client.closed;
  await Promise.resolve(); // a watch stops after it has begun
  expect(service.watchers.size).toBe(0);
});

test('a watch that fails answers its request with the error, and can be repeated', async () => {
  const service = new OpaqueService();
  const { watch } = service;
  service.watch = ({ filter }) =>
    filter.logs || filter.toolsListChanged
      ? Promise.resolve(() => undefined)
      : Promise.reject(new RpcError(-32002, 'No such resource'));
  const client = await RawClient.connect(service);
  const notifications = { resourceSubscriptions: ['a:1'] };
  expect(await client.modern('subscriptions/listen', { notifications })).toMatchObject({ error: { code: -32002 } });
  await client.initialize();
  expect(await client.request('resources/subscribe', { uri: 'a:1' })).toMatchObject({ error: { code: -32002 } });
  service.watch = watch;
  expect(await client.request('resources/subscribe', { uri: 'a:1' })).toMatchObject({ result: {} });
});

test('a modern subscription starts with its acknowledgement, and is answered when the service ends it', async () => {
  const service = new OpaqueService();
  let watcher: Watcher | undefined;
  service.watch = async (given) => {
    watcher = given;
    given.notified('notifications/tools/list_changed', undefined);
    return () => undefined;
  };
  const client = await RawClient.connect(service);
  const notifications = { toolsListChanged: true, 'dev.standpipe/logs': { level: 'debug', chosen: 'debug' } };
  const answer = client.modern('subscriptions/listen', { notifications });
  await client.notified('notifications/tools/list_changed');
  expect(watcher!.filter).toEqual({ toolsListChanged: true }); // reserved names are removed
  expect(client.received.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ]);
  watcher!.ended!();
  expect(await answer).toMatchObject({ result: { resultType: 'complete' } });
});

test('a session receives notifications that MCP does not define', async () => {
  const service = new OpaqueService();
  const client = await RawClient.connect(service);
  await client.initialize();
  service.tell('others', 'notifications/com.example/news', { unknown: [1] });
  expect((await client.notified('notifications/com.example/news')).params).toEqual({ unknown: [1] });
});

test('a session receives log messages of the level that it set', async () => {
  const service = new OpaqueService();
  const client = await RawClient.connect(service);
  await client.initialize();
  const levels = () => [...service.watchers].flatMap(({ filter }) => filter.logs ?? []);
  expect(levels()).toEqual(['info']);
  await client.request('logging/setLevel', { level: 'error' });
  await client.request('ping');
  expect(levels()).toEqual(['error']);
  service.tell('logs', 'notifications/message', { level: 'error', data: 'loud' });
  expect((await client.notified('notifications/message')).params).toEqual({ level: 'error', data: 'loud' });
});

test('a service may cancel a question and continue', async () => {
  const ask = async (caller: Caller) => {
    const taken = new AbortController();
    const asked = caller.ask(sampling({}), 'first', taken.signal);
    const kept = caller.ask(sampling({}), 'second');
    taken.abort(new Error('taken back'));
    const [first, second] = await Promise.allSettled([asked, kept]);
    return { first: first.status, second: second.status };
  };
  const client = await RawClient.connect(new OpaqueService(ask));
  const { inputRequests, requestState } = resultOf<{ inputRequests: object; requestState: string }>(
    await client.modern('a', {}, { sampling: {} }),
  );
  expect(inputRequests).toEqual({ second: sampling({}) });
  const inputResponses = { second: sampled({}) };
  expect(resultOf(await client.modern('a', { requestState, inputResponses }, { sampling: {} }))).toMatchObject({
    first: 'rejected',
    second: 'fulfilled',
  });
  await client.initialize('2025-11-25', { sampling: {} });
  const answer = client.request('a');
  const { params } = await client.notified('notifications/cancelled');
  const question = await client.until(
    ({ id, method }) => method === 'sampling/createMessage' && id !== params?.requestId,
  );
  client.write({ jsonrpc: '2.0', id: question.id, result: sampled({}) });
  expect(resultOf(await answer)).toEqual({ first: 'rejected', second: 'fulfilled' });
});

test('passes a question that no revision defines', async () => {
  const question = { method: 'com.example/ask', params: { why: 'because' } } as never;
  const client = await RawClient.connect(new OpaqueService(async (caller) => ({ answer: await caller.ask(question) })));
  const { inputRequests, requestState } = resultOf<{ inputRequests: object; requestState: string }>(
    await client.modern('a'),
  );
  expect(inputRequests).toEqual({ 'input-1': question });
  const inputResponses = { 'input-1': { any: 1 } };
  expect(resultOf(await client.modern('a', { requestState, inputResponses }))).toMatchObject({ answer: { any: 1 } });
  await client.initialize();
  const answer = client.request('a');
  const { id, params } = await client.notified('com.example/ask');
  expect(params).toEqual({ why: 'because' });
  client.write({ jsonrpc: '2.0', id, result: { any: 2 } });
  expect(resultOf(await answer)).toEqual({ answer: { any: 2 } });
});

test.each([null, 7, 'text', [1], {}])('passes `_meta` of another type like any member: %j', async (_meta) => {
  const service = new OpaqueService((caller) => ({ wants: caller.wantsProgress }));
  const client = await RawClient.connect(service);
  expect(resultOf(await client.request('a', { _meta }))).toEqual({ wants: false });
  expect(service.requests[0]?.params).toEqual({ _meta });
});

test.each([
  ['2024-11-05', { progress: 1, total: 2 }],
  ['2025-03-26', { progress: 1, total: 2, message: 'half' }],
])('progress has a message if the revision has it: %s', async (revision, progress) => {
  const service = new OpaqueService((caller) => {
    caller.progress({ progress: 1, total: 2, message: 'half' });
    return {};
  });
  const client = await RawClient.connect(service);
  await client.initialize(revision);
  await client.request('a', { _meta: { progressToken: 7 } });
  expect((await client.notified('notifications/progress')).params).toEqual({ progressToken: 7, ...progress });
});

test('a server closes even if its service has not begun to watch', async () => {
  const service = new OpaqueService();
  const begun: (() => void)[] = [];
  const stopped: string[] = [];
  service.watch = () => new Promise((resolve) => begun.push(() => resolve(() => stopped.push('modern'))));
  const [near, far] = duplexPair();
  near.resume();
  const adapter = await serve(service, StreamTransport.over(far));
  const params = { notifications: { toolsListChanged: true }, _meta: META };
  near.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })}\n`);
  while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await adapter.close();
  begun[0]!();
  while (stopped.length === 0) await new Promise((resolve) => setImmediate(resolve));
});

test("refuses a missing resource with the code of the client's revision, whatever code the service uses", async () => {
  const uri = 'test://missing';
  for (const code of [-32002, -32602]) {
    const service = new OpaqueService(() => {
      throw new RpcError(code, 'no such resource', { uri });
    });
    const client = await RawClient.connect(service);
    expect(await client.modern('resources/read', { uri })).toMatchObject({ error: { code: -32602, data: { uri } } });
    await client.initialize();
    expect(await client.request('resources/read', { uri })).toMatchObject({ error: { code: -32002, data: { uri } } });
  }
});

test('other errors of a read keep their code', async () => {
  const service = new OpaqueService(() => Promise.reject(new RpcError(-32602, 'no uri', { missing: 'uri' })));
  const client = await RawClient.connect(service);
  await client.initialize();
  expect(await client.request('resources/read', {})).toMatchObject({ error: { code: -32602 } });
});
