// The endpoint of a node, used with raw messages of another node.

import { afterAll, expect, test } from 'vitest';
import { RpcError } from '../../src/base/errors.ts';
import type { ClusterNetwork } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { type EndpointLimits, NodeEndpoint, type ServedInstance } from '../../src/host/fleet/node/node-endpoint.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { CallingNode, callText, envelope } from '../fixtures/fleet/calling-node.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';
import { declare } from '../fixtures/service-contract/declare.mjs';
import { OpaqueService } from '../mcp-server/opaque-service.ts';

const nats = await startNatsServer();
const [answering, calling] = await Promise.all(
  ['answering', 'calling'].map((name) => openNetwork({ servers: [nats.url], fleet: 'test', name })),
);
afterAll(() => Promise.all([answering!.close(), calling!.close()]));
const subjects = subjectsOf('test');
let opened = 0;

/** An endpoint with one instance, and a node that calls it. `ran`: the calls that the server has run. */
async function open(served: Partial<ServedInstance> = {}, limits: Partial<EndpointLimits> = {}, network = answering!) {
  const number = ++opened;
  const server = declare(new Server({ name: 'service-contract', version: '1.0.0' }), RpcError);
  const ran: unknown[] = [];
  const held: (() => void)[] = [];
  server.tool('count', { input: { type: 'object' } }, ({ n }: { n?: unknown }) => {
    ran.push(n);
    return `ran ${n}`;
  });
  server.tool('hold', { input: { type: 'object' } }, async () => {
    ran.push('held');
    await new Promise<void>((resolve) => held.push(resolve));
    return 'released';
  });
  const endpoint = new NodeEndpoint(network, `node${number}`, { limits });
  const instance = endpoint.open({
    id: 'one',
    server: 'test',
    service: server.service,
    generation: 7,
    mayAct: () => true,
    ...served,
  });
  const node = new CallingNode(calling!, 'calling', `run${number}`);
  // The previous test may have lost a connection.
  for (const each of [answering!, calling!]) {
    await until(
      'it is connected',
      () =>
        each.isConnected &&
        each.flush().then(
          () => true,
          () => false,
        ),
    );
  }
  const subject = subjects.call(`node${number}`, 'one');
  const release = () => {
    for (const resolve of held.splice(0)) resolve();
  };
  return { server, endpoint, instance, node, subject, ran, release };
}

const textIn = (answer: string) => JSON.parse(answer).result?.content?.[0]?.text;

test('a node without its lease refuses all calls', async () => {
  let mayAct = false;
  const { node, subject, ran } = await open({ mayAct: () => mayAct });
  expect(await node.call(subject, 'count')).toMatch(/^refused moved /);
  expect(ran).toEqual([]);
  mayAct = true;
  expect(textIn(await node.call(subject, 'count', { n: 1 }))).toBe('ran 1');
});

test('a request whose call is known is never run again', async () => {
  const { node, subject, ran, release } = await open();
  const reply = await node.publish(subject, callText('count', { n: 1 }));
  const answer = await node.last(reply);
  const held = await node.publish(subject, callText('hold'));
  await node.publish(subject, callText('hold'), held);
  await node.publish(subject, callText('count', { n: 1 }), reply);
  expect(textIn(await node.call(subject, 'count', { n: 2 }))).toBe('ran 2');
  expect(ran.map(String).sort()).toEqual(['1', '2', 'held']); // concurrent calls run in any order
  expect(node.received.filter((each) => each.reply === reply).map(({ text }) => text)).toEqual([answer, answer]);
  release();
  expect(textIn(await node.last(held))).toBe('released');
});

test('an inquiry distinguishes running, answered, forgotten and unknown calls', async () => {
  const { node, subject, endpoint, ran, release } = await open({}, { maxKept: 4 });
  const replies: string[] = [];
  for (let n = 0; n < 6; n++) {
    replies.push(await node.publish(subject, callText('count', { n })));
    await node.last(replies[n]!);
  }
  const held = await node.publish(subject, callText('hold'));
  await node.call(subject, 'echo', { text: 'the held one has arrived' });
  const lost = node.newCall();
  const asked = [replies[0]!, replies[5]!, held, lost, 'no.such.subject'];
  expect(endpoint.inquire(asked)).toEqual(['forgotten', 'answered', 'running', 'unknown', 'forgotten']);
  await node.until(({ reply }) => node.received.filter((each) => each.reply === reply).length === 2);
  // The late request is refused, and so is a repeated earlier call.
  await node.publish(subject, callText('count', { n: 'late' }), lost);
  expect(await node.last(lost)).toMatch(/^refused moved /);
  await node.publish(subject, callText('count', { n: 'again' }), replies[0]);
  await node.call(subject, 'echo', { text: 'all have arrived' });
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 'held']);
  expect(endpoint.inquire([lost])).toEqual(['unknown']);
  release();
});

test('a request does not run if a part is missing, or after an inquiry before its last part', async () => {
  const { node, subject, endpoint, ran } = await open();
  const part = (id: number, index: number, count: number, bytes: number, body: string) =>
    `part ${id} ${index} ${count} ${bytes}\n${body}`;
  const text = callText('count', { n: 'parts' });
  const [first, second] = [text.slice(0, 50), text.slice(50)];
  const gap = await node.publish(subject, part(1, 0, 3, text.length, first));
  await node.publish(subject, part(1, 2, 3, text.length, second), gap);
  expect(await node.last(gap)).toMatch(/^refused moved .*missing/);
  const asked = await node.publish(subject, part(2, 0, 2, text.length, first));
  await node.call(subject, 'echo', { text: 'the first part has arrived' });
  expect(endpoint.inquire([asked])).toEqual(['unknown']);
  await node.publish(subject, part(2, 1, 2, text.length, second), asked);
  expect(await node.last(asked)).toMatch(/^refused moved /);
  const huge = await node.publish(subject, part(3, 0, 999_999_999, 999_999_999_999, first));
  expect(JSON.parse(await node.last(huge)).error.message).toMatch(/longer than the limit/);
  const whole = await node.publish(subject, part(4, 0, 2, text.length, first));
  await node.publish(subject, part(4, 1, 2, text.length, second), whole);
  expect(textIn(await node.last(whole))).toBe('ran parts');
  expect(ran).toEqual(['parts']);
});

test('messages other than requests are refused or ignored, without an effect on other calls', async () => {
  const { node, subject, endpoint, ran } = await open();
  const codeOf = async (text: string) => JSON.parse(await node.last(await node.publish(subject, text))).error.code;
  expect(await codeOf('garbage')).toBe(-32600);
  expect(await codeOf('')).toBe(-32600);
  expect(await codeOf('{')).toBe(-32700);
  expect(await codeOf('traced {"jsonrpc":"2.0"}')).toBe(-32600);
  expect(await codeOf('{"jsonrpc":"2.0","id":1,"result":{}}')).toBe(-32600);
  expect(await codeOf('{"jsonrpc":"2.0","method":"notifications/x"}')).toBe(-32600);
  expect(await codeOf('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).toBe(-32602);
  expect(await codeOf('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":7}}')).toBe(-32602);
  expect(await codeOf('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}')).toBe(-32022);
  expect(await codeOf(callText('count', {}, { 'dev.standpipe/caller': { id: 7 } }))).toBe(-32602);
  expect(await codeOf('part x')).toBe(-32603);
  for (const text of ['', 'cancel ', 'cancel no.such.call', 'gone 17', 'gone', 'part 1 2 3', callText('count')]) {
    calling!.publish(subject, text);
  }
  for (const text of ['gone 17', `cancel ${node.newCall()}`]) calling!.publish(subject, text, node.newCall());
  for (const reply of ['elsewhere', node.replyTo(1.5), `${node.replyTo(1)}.2`, node.replyTo(-1)]) {
    calling!.publish(subject, callText('count'), reply);
  }
  calling!.publish(subject, new Uint8Array([0xff, 0, 0xfe]), node.newCall());
  expect(textIn(await node.call(subject, 'echo', { text: 'still here' }))).toBe('still here');
  expect(ran).toEqual([]);
  endpoint.callerEnded('no-such-node', 'run');
});

test('calls above the limit are refused as busy until others have ended', async () => {
  const { node, subject, release, ran } = await open({}, { maxCallsPerNode: 2, maxCalls: 3 });
  const other = new CallingNode(calling!, 'other', 'session');
  await calling!.flush();
  const held = [await node.publish(subject, callText('hold')), await node.publish(subject, callText('hold'))];
  expect(await node.call(subject, 'count')).toMatch(/^refused busy 2 calls of node calling /);
  held.push(await other.publish(subject, callText('hold')));
  expect(await other.call(subject, 'count')).toMatch(/^refused busy 3 calls /);
  release();
  for (const reply of held) expect(textIn(await (reply.includes('other') ? other : node).last(reply))).toBe('released');
  expect(textIn(await node.call(subject, 'count', { n: 1 }))).toBe('ran 1');
  expect(ran).toEqual(['held', 'held', 'held', 1]);
});

test('each of 10,000 concurrent requests is answered or refused, and runs at most once', async () => {
  const { node, subject, ran, endpoint } = await open({}, { maxCallsPerNode: 500, keptMs: 1e6 });
  const replies = Array.from({ length: 10_000 }, (_, n) => {
    const reply = node.newCall();
    calling!.publish(subject, callText('count', { n }), reply);
    return reply;
  });
  // On a busy machine NATS may close a connection with this much data: an inquiry resolves calls whose messages were lost.
  const outcomes = new Map<string, string>();
  while (outcomes.size < replies.length) {
    for (const network of [calling!, answering!]) {
      await until('it is connected', () => network.isConnected);
      await network.flush().catch(() => undefined);
    }
    const open = replies.filter((reply) => !outcomes.has(reply));
    for (const [at, state] of endpoint.inquire(open).entries()) {
      const reply = open[at]!;
      const outcome = node.answerTo(reply) ?? (state === 'unknown' ? 'refused: it did not arrive' : undefined);
      if (outcome !== undefined) outcomes.set(reply, outcome);
    }
  }
  const answers = replies.map((reply) => outcomes.get(reply)!);
  const answered = answers.flatMap((answer, n) => (answer.startsWith('refused') ? [] : [[n, textIn(answer)]]));
  expect(answered).toEqual(ran.map((n) => [n, `ran ${n}`]));
  expect(answered.length).toBeGreaterThan(0);
});

test('each call during draining is either answered, or refused and not run', async () => {
  const { node, subject, ran, release, instance } = await open();
  const held = await node.publish(subject, callText('hold'));
  const replies: string[] = [];
  const send = (count: number) => {
    for (let n = 0; n < count; n++) {
      const reply = node.newCall();
      calling!.publish(subject, callText('slow-echo', { text: `${replies.length}` }), reply);
      replies.push(reply);
    }
  };
  send(200);
  await node.last(replies[0]!);
  let isDrained = false;
  const drained = Promise.all([instance.drain(60_000), instance.drain(60_000)]).then(() => {
    isDrained = true;
  });
  send(200);
  expect(await node.last(replies.at(-1)!)).toMatch(/^refused moved /);
  expect([isDrained, instance.inFlight > 0]).toEqual([false, true]);
  release();
  await drained;
  expect(instance.inFlight).toBe(0);
  await instance.close();
  expect(textIn(await node.last(held))).toBe('released');
  const answers = await Promise.all(replies.map((reply) => node.last(reply)));
  const moved = answers.findIndex((answer) => answer.startsWith('refused moved'));
  expect(answers.slice(0, moved).map(textIn)).toEqual(replies.slice(0, moved).map((_, n) => `${n}`));
  expect(answers.slice(moved).every((answer) => answer.startsWith('refused moved'))).toBe(true);
  expect(await node.call(subject, 'count')).toBe('undeliverable');
  expect(ran).toEqual(['held']);
});

test('the answer of a client resumes a suspended call, even while the instance is drained', async () => {
  const { node, subject, instance } = await open();
  const question = JSON.parse(await node.call(subject, 'ask', { message: 'Who?' })).result;
  expect(question).toMatchObject({ resultType: 'input_required' });
  const drained = instance.drain(60_000);
  expect(await node.call(subject, 'echo', { text: 'x' })).toMatch(/^refused moved /);
  const [name] = Object.keys(question.inputRequests);
  const inputResponses = { [name!]: { action: 'accept', content: { name: 'Ada' } } };
  const resumed = callText('ask', { message: 'Who?' }, {}, { requestState: question.requestState, inputResponses });
  const { result } = JSON.parse(await node.last(await node.publish(subject, resumed)));
  expect(result.structuredContent).toEqual({ answer: { action: 'accept', content: { name: 'Ada' } } });
  await drained;
});

test('when the instance closes, subscriptions end with a result and calls in flight with an unknown outcome', async () => {
  const { node, subject, instance } = await open();
  const listen = {
    jsonrpc: '2.0',
    id: 5,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: envelope },
  };
  const listening = await node.publish(subject, JSON.stringify(listen));
  await node.until(({ text }) => text.includes('subscriptions/acknowledged'));
  const waiting = await node.publish(subject, callText('wait', {}, { progressToken: 1 }));
  await node.until(({ reply }) => reply === waiting);
  await node.call(subject, 'change');
  await node.until(({ text }) => text.includes('tools/list_changed'));
  expect(instance.inFlight).toBe(1);
  await instance.close();
  expect(JSON.parse(await node.last(listening))).toMatchObject({ id: 5, result: {} });
  expect(JSON.parse(await node.last(waiting)).error.data).toMatchObject({
    'dev.standpipe/error': { kind: 'PeerError', code: 'OUTCOME_UNKNOWN' },
  });
});

test('the calls and questions of a node end when its process run ends', async () => {
  const { node, subject, endpoint, instance } = await open();
  const counted = async () => Number(textIn(await other.call(subject, 'cancelled', { atLeast: 0 })));
  const other = new CallingNode(calling!, 'other', 'other');
  await calling!.flush();
  const before = await counted();
  const caller = { 'dev.standpipe/caller': { id: '17', affinity: '17' } };
  const question = JSON.parse(await node.call(subject, 'ask', { message: 'Who?' }, caller)).result;
  const waiting = await node.publish(subject, callText('wait', {}, { progressToken: 1 }));
  await node.until(({ reply }) => reply === waiting);
  expect(instance.inFlight).toBe(2);
  endpoint.callerEnded(node.name, node.run);
  expect(instance.inFlight).toBe(0);
  await other.call(subject, 'cancelled', { atLeast: before + 1 });
  const resumed = callText('ask', { message: 'Who?' }, {}, { requestState: question.requestState });
  const { error } = JSON.parse(await other.last(await other.publish(subject, resumed)));
  expect(error.data).toMatchObject({ requestState: 'unknown' });
});

test('a call on the same node passes its parameters and caller to the service without serialization', async () => {
  const answer = { content: [] };
  const callers: unknown[] = [];
  const service = new OpaqueService((caller) => {
    callers.push(caller);
    return answer;
  });
  const { endpoint, instance } = await open({ service });
  const local = endpoint.local('one')!;
  const [params, caller] = [{ name: 'x', arguments: { big: 1n } }, new TestCaller()];
  expect(local.whyRefused(params)).toBeUndefined();
  expect(await local.request('tools/call', params, caller)).toBe(answer);
  expect(service.requests[0]!.params).toBe(params);
  expect(callers).toEqual([caller]);
  expect(endpoint.local('two')).toBeUndefined();
  void instance.drain(60_000);
  expect(local.whyRefused(params)).toMatch('handed over');
});

test('a suspended call of the same node can be resumed by any node', async () => {
  const { node, subject, endpoint } = await open();
  const caller = Object.assign(new TestCaller(), { asksInResult: true });
  const params = { name: 'ask', arguments: { message: 'Who?' } };
  const question = (await endpoint.local('one')!.request('tools/call', params, caller)) as Record<string, never>;
  expect(question).toMatchObject({ resultType: 'input_required' });
  const [name] = Object.keys(question.inputRequests!);
  const inputResponses = { [name!]: { action: 'accept', content: { name: 'Ada' } } };
  const resumed = callText('ask', { message: 'Who?' }, {}, { requestState: question.requestState, inputResponses });
  const { result } = JSON.parse(await node.last(await node.publish(subject, resumed)));
  expect(result.structuredContent).toEqual({ answer: { action: 'accept', content: { name: 'Ada' } } });
});

test('a call on the same node ends with an unknown outcome when the instance closes', async () => {
  const { endpoint, instance, ran } = await open();
  const local = endpoint.local('one')!;
  const held = local.request('tools/call', { name: 'hold' }, new TestCaller()).catch((error: unknown) => error);
  await until('it runs', () => ran.length === 1);
  expect(instance.inFlight).toBe(1);
  await instance.close();
  expect(await held).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(local.whyRefused({})).toMatch('ended');
});

const listenTo = (notifications: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 5,
    method: 'subscriptions/listen',
    params: { notifications, _meta: envelope },
  });

test('a refused log level leaves no subscription behind', async () => {
  const service = new OpaqueService();
  const { watch } = service;
  service.watch = (watcher) =>
    watcher.filter.choosesLogs
      ? Promise.reject(new RpcError(-32603, 'The server has ended'))
      : watch.call(service, watcher);
  const { node, subject } = await open({ service });
  const listen = listenTo({ 'dev.standpipe/logs': { level: 'debug', chosen: 'error' } });
  expect(JSON.parse(await node.last(await node.publish(subject, listen)))).toMatchObject({ error: { code: -32603 } });
  expect(service.watchers.size).toBe(0);
  const wrong = await node.last(await node.publish(subject, listenTo({ 'dev.standpipe/logs': { level: 7 } })));
  expect(JSON.parse(wrong)).toMatchObject({ error: { code: -32602 } });
});

test('a node gets log messages only after its subscription is acknowledged', async () => {
  const service = new OpaqueService();
  const { watch } = service;
  service.watch = async (watcher) => {
    watcher.notified('notifications/message', { level: 'error', data: 'early' });
    return watch.call(service, watcher);
  };
  const { node, subject } = await open({ service });
  await node.publish(subject, listenTo({ 'dev.standpipe/logs': { level: 'error' } }));
  await node.until(({ text }) => text.includes('subscriptions/acknowledged'));
  service.tell('logs', 'notifications/message', { level: 'error', data: 'late' });
  await node.until(({ text }) => text.includes('late'));
  expect(node.received.filter(({ text }) => text.includes('early'))).toEqual([]);
});

test('while the send queue is full, progress is held back and unsent answers count as in flight', async () => {
  const full: (() => void)[] = [];
  let isFull = true;
  const publish: ClusterNetwork['publish'] = (...args) => {
    answering!.publish(...args);
    return isFull ? new Promise<void>((resolve) => full.push(resolve)) : undefined;
  };
  const slow = new Proxy(answering!, {
    get: (network, key) => {
      const member = key === 'publish' ? publish : Reflect.get(network, key, network);
      return typeof member === 'function' ? member.bind(network) : member;
    },
  });
  const { node, subject, instance, endpoint } = await open({}, { maxCallsPerNode: 1 }, slow);
  const reply = await node.publish(subject, callText('slow-echo', { text: 'x' }, { progressToken: 1 }));
  await node.until(({ text }) => text.includes('progress'));
  const refused = await node.publish(subject, callText('echo', { text: 'no place' }));
  expect(await node.last(refused)).toMatch(/^refused busy /);
  expect([instance.inFlight, endpoint.inquire([reply])]).toEqual([1, ['running']]);
  isFull = false;
  for (const resolve of full.splice(0)) resolve();
  expect(textIn(await node.last(reply))).toBe('x');
  expect(endpoint.inquire([reply])).toEqual(['answered']);
  await instance.drain(60_000);
  expect(instance.inFlight).toBe(0);
});

test('a long answer that is requested repeatedly arrives complete', async () => {
  const { node, subject, endpoint } = await open();
  const text = 'x'.repeat(5 * answering!.maxBytes);
  const reply = await node.publish(subject, callText('echo', { text }));
  const answer = await node.last(reply);
  expect(textIn(answer) === text).toBe(true);
  const states = [1, 2, 3].flatMap(() => endpoint.inquire([reply]));
  expect(states).toEqual(['answered', 'running', 'running']);
  await node.until(() => node.received.filter((each) => each.reply === reply).length === 2);
  expect(node.received.every((each) => each.text === answer)).toBe(true);
});
