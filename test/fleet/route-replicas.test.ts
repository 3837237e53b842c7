// Servers with several replicas: which client keeps which replica, where questions are answered, and which changes subscribers get. Also
// the states of servers of other nodes, and the hops of a request.

import { expect, test, vi } from 'vitest';
import { PeerError, RpcCode } from '../../src/base/errors.ts';
import { defaultRemoteSettings, defaultSettings, type RemoteConfig } from '../../src/config/server-config.ts';
import { instanceOf } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { ClientAdapters } from '../../src/mcp/adapter/client-adapters.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { type ClientIdentity, newClient, type Params } from '../../src/mcp/service.ts';
import type { ObservedHop } from '../../src/observe/flow/event.ts';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { RouteNode } from '../fixtures/fleet/route-node.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';
import { until } from '../fixtures/server.ts';
import { OpaqueService } from '../mcp-server/opaque-service.ts';

const nats = await startNatsServer();
const any = { input: { type: 'object' } } as const;
const maxFrameBytes = 1024 * 1024;
const nodes = await Promise.all(['a', 'b', 'c'].map((name) => RouteNode.join(nats.url, name)));
const [a, b, c] = nodes as [RouteNode, RouteNode, RouteNode];
const caller = await RouteNode.join(nats.url, 'caller', { openWaitMs: 0 });

/** A server that answers with the name of its replica. */
function named(name: string): Server {
  const server = new Server({ name: 'replica', version: '1.0.0' });
  server.tool('who', any, () => name);
  server.tool('ask', any, async (_args, call) => {
    const requestedSchema = { type: 'object' as const, properties: {} };
    const { action } = await call.elicit({ message: 'Go on?', requestedSchema });
    return `${name}: ${action}`;
  });
  server.resource('mem://it', { name: 'it' }, () => 'text');
  return server;
}

async function replicas(server: string, ...on: RouteNode[]): Promise<Server[]> {
  const servers = on.map((node) => named(node.name));
  await Promise.all(on.map((node, at) => node.run(server, servers[at]!.service, at + 1)));
  await until('all are known', () => caller.table.instancesOf(server).length === on.length);
  return servers;
}

const opened = (server: string, share: 'all' | 'principal' = 'all', options = {}): Promise<Client> =>
  caller.connect(server, { maxFrameBytes, share, client: options });

async function who(client: Client, identity: ClientIdentity): Promise<string> {
  const test = new TestCaller();
  const as = Object.assign(test, { client: { ...test.client, identity } });
  const { content } = (await client.service.request('tools/call', { name: 'who', arguments: {} }, as)) as {
    content: { text: string }[];
  };
  return content[0]!.text;
}

test('a client keeps its replica while others are added and removed', async () => {
  await replicas('sticky', a, b);
  const client = await opened('sticky');
  const clients = Array.from({ length: 40 }, () => newClient());
  const first = await Promise.all(clients.map((each) => who(client, each)));
  expect(new Set(first)).toEqual(new Set(['a', 'b']));
  const third = await c.run('sticky', named('c').service, 3);
  await until('the third is known', () => caller.table.instancesOf('sticky').length === 3);
  expect(await Promise.all(clients.map((each) => who(client, each)))).toEqual(first);
  const late = Array.from({ length: 40 }, () => newClient());
  const later = await Promise.all(late.map((each) => who(client, each)));
  expect(new Set(later)).toEqual(new Set(['a', 'b', 'c']));
  await third.end();
  const after = await Promise.all(late.map((each) => who(client, each)));
  for (const [at, node] of later.entries()) if (node !== 'c') expect(after[at]).toBe(node);
  await client.close();
});

test('with a process per principal, all clients of a principal use one replica, from every node', async () => {
  await replicas('shared', a, b);
  const other = await RouteNode.join(nats.url, 'other');
  await until('the other knows them', () => other.table.instancesOf('shared').length === 2);
  const here = await opened('shared', 'principal');
  const there = await other.connect('shared', { maxFrameBytes, share: 'principal' });
  const names = Array.from({ length: 20 }, (_, at) => `user ${at}`);
  const chosen = await Promise.all(names.map((name) => who(here, newClient(name))));
  expect(new Set(chosen)).toEqual(new Set(['a', 'b']));
  expect(await Promise.all(names.map((name) => who(there, newClient(name))))).toEqual(chosen);
  await Promise.all([here.close(), there.close()]);
  await other.close();
});

test('a stateless server is called at each replica in turn', async () => {
  await caller.declare('stateless', true);
  await replicas('stateless', a, b, c);
  await until('it is known', () => caller.table.recordOf('stateless') !== undefined);
  const client = await opened('stateless');
  const identity = newClient();
  const chosen: string[] = [];
  for (let at = 0; at < 6; at++) chosen.push(await who(client, identity));
  expect(chosen.slice(3)).toEqual(chosen.slice(0, 3));
  expect(new Set(chosen).size).toBe(3);
  await client.close();
});

test('a call that one stateless replica refuses is answered by another, unless all are busy', async () => {
  await caller.declare('refuses', true);
  const held: (() => void)[] = [];
  const narrow = await Promise.all(['n1', 'n2'].map((n) => RouteNode.join(nats.url, n, { limits: { maxCalls: 1 } })));
  const placed = await Promise.all(
    narrow.map((node, at) => {
      const server = named(node.name);
      server.tool('hold', any, () => new Promise<string>((resolve) => held.push(() => resolve(node.name))));
      return node.run('refuses', server.service, at + 1);
    }),
  );
  for (const { table } of [caller, c]) {
    const isKnown = () => table.recordOf('refuses') && table.instancesOf('refuses').length === 2;
    await until('all are known', () => isKnown() === true);
  }
  const client = await opened('refuses');
  const other = await c.connect('refuses', { maxFrameBytes });
  const answers = async () => {
    const identity = newClient();
    return [await who(client, identity), await who(client, identity), await who(client, identity)];
  };
  const first = other.callTool('hold');
  await until('one is busy', () => held.length === 1);
  const [free] = await answers();
  expect(await answers()).toEqual([free, free, free]);
  const second = other.callTool('hold');
  await until('both are busy', () => held.length === 2);
  await expect(client.callTool('who')).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  for (const release of held) release();
  const both = await Promise.all([first, second]);
  expect(both.map(({ content }) => (content[0] as { text: string }).text).sort()).toEqual(['n1', 'n2']);
  placed[0]!.mayAct = false;
  expect(await answers()).toEqual(['n2', 'n2', 'n2']);
  await Promise.all([client.close(), other.close()]);
  await Promise.all(narrow.map((node) => node.close()));
});

test('answers to a question go to the replica that asked; if it has ended, the outcome is unknown', async () => {
  const on = [a, b, c];
  await caller.declare('asks', true); // requests of a stateless server go to each replica in turn
  await until('it is known', () => caller.table.recordOf('asks') !== undefined);
  const placed = await Promise.all(on.map((node, at) => node.run('asks', named(node.name).service, at + 1)));
  await until('all are known', () => caller.table.instancesOf('asks').length === 3);
  const client = await opened('asks', 'all', { elicit: () => ({ action: 'accept', content: {} }) });
  const asked = Array.from({ length: 12 }, async () => {
    const test = new TestCaller(async () => ({ action: 'accept', content: {} }));
    return client.service.request('tools/call', { name: 'ask', arguments: {} }, test);
  });
  for (const result of await Promise.all(asked)) {
    expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/^[abc]: accept$/) }] });
  }
  let isAsked = false;
  let answer!: () => void;
  const test = new TestCaller(
    () =>
      new Promise((resolve) => {
        isAsked = true;
        answer = () => resolve({ action: 'accept', content: {} });
      }),
  );
  const lost = Promise.resolve(client.service.request('tools/call', { name: 'ask', arguments: {} }, test));
  const outcome = lost.catch((error: unknown) => error);
  await until('it has asked', () => isAsked);
  await Promise.all(placed.map(({ open }) => open.close()));
  answer();
  expect(await outcome).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    message: expect.stringContaining('had begun to run'),
  });
  await client.close();
});

/** Sends a request of a new client of this principal. */
function post(adapters: ClientAdapters, principal: string, params: Params): Promise<Params> {
  const client = { ...new TestCaller().client, identity: newClient(principal) };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: modernMeta } } as const;
  return new Promise((resolve) => {
    const answer = (message: object) => {
      resolve(message as Params);
      return undefined;
    };
    const nothing = () => undefined;
    const reply = { notify: () => true, answer, end: nothing, onfull: undefined, onclose: undefined };
    adapters.serve(request, 100, client, reply);
  });
}

test('a suspended call can be resumed through another node, but only by its principal', async () => {
  const placed = await a.run('parks', named('a').service);
  await Promise.all([b.run('parks', named('b').service, 2), c.run('parks', named('c').service, 3)]);
  const gateways = [caller, await RouteNode.join(nats.url, 'gateway')];
  const adapters: ClientAdapters[] = [];
  for (const node of gateways) {
    await until('all are known', () => node.table.instancesOf('parks').length === 3);
    const client = await node.connect('parks', { maxFrameBytes });
    adapters.push(new ClientAdapters(client.service));
  }
  const [first, second] = adapters as [ClientAdapters, ClientAdapters];
  const ask = { name: 'ask', arguments: {} };
  const parked = async () => {
    const { result } = (await post(first, 'ada', ask)) as { result: { requestState: string; inputRequests: object } };
    const inputResponses = Object.fromEntries(
      Object.keys(result.inputRequests).map((name) => [name, { action: 'accept', content: {} }]),
    );
    return { ...ask, requestState: result.requestState, inputResponses };
  };
  const states = await Promise.all(Array.from({ length: 12 }, parked));
  expect(await post(second, 'eve', states[0]!)).toMatchObject({ error: { code: RpcCode.invalidParams } });
  const foreign = states[0]!.requestState.replace(
    /^standpipe:[^/]*/,
    `standpipe:${instanceOf({ ...placed.claim, server: 'x' })}`,
  );
  for (const requestState of [foreign, 'standpipe:nobody/1', 'standpipe:/1', 'standpipe:parks_1/1']) {
    expect(await post(second, 'ada', { ...states[0]!, requestState })).toMatchObject({
      error: { code: RpcCode.invalidParams, message: expect.stringContaining('Unknown requestState') },
    });
  }
  for (const state of states) {
    expect(await post(second, 'ada', state)).toMatchObject({
      result: { content: [{ text: expect.stringMatching(/^[abc]: accept$/) }] },
    });
  }
  const left = (await Promise.all(Array.from({ length: 12 }, parked))).filter(({ requestState }) =>
    requestState.includes(instanceOf(placed.claim)),
  );
  expect(left.length).toBeGreaterThan(0);
  await placed.open.close();
  expect(await post(second, 'ada', left[0]!)).toMatchObject({
    error: { data: { 'dev.standpipe/error': { code: 'OUTCOME_UNKNOWN' } } },
  });
});

test('a subscriber gets changes of every replica, and a change notification when a replica is replaced', async () => {
  const [first, second] = await replicas('watched', a, b);
  const client = await opened('watched');
  const watcher = new TestWatcher({ toolsListChanged: true, resourceSubscriptions: ['mem://it'] });
  const stop = await client.service.watch(watcher);
  // The first notifications of a replica report changes that may have been missed before the subscription.
  await watcher.until(() => watcher.heard.length >= 2);
  const heard = () => watcher.heard.splice(0).map(({ method }) => method);
  expect(heard()).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
  for (const replica of [first!, second!]) {
    replica.resourceUpdated('mem://it');
    await watcher.until(() => watcher.heard.length > 0);
    expect(heard()).toEqual(['notifications/resources/updated']);
  }
  const third = named('c');
  await c.run('watched', third.service, 2); // takes the slot of b
  await watcher.until(() => watcher.heard.length >= 2);
  expect(heard()).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
  third.resourceUpdated('mem://it');
  await watcher.until(() => watcher.heard.length > 0);
  expect(heard()).toEqual(['notifications/resources/updated']);
  stop();
  await client.close();
});

function entry(name: string): RemoteConfig {
  const source = { file: 'fleet', line: 1, column: 1 } as const;
  const restart = { ...defaultSettings.restart, backoffMs: 1e6, maxBackoffMs: 1e6 };
  return { ...defaultSettings, ...defaultRemoteSettings, name, url: `nats://route/${name}`, restart, source };
}

test('a server is unreachable with a reason until a node runs it', async () => {
  await caller.declare('nowhere');
  await until('it is known', () => caller.table.servers().includes('nowhere'));
  await using host = new Host([entry('nowhere'), entry('x@gone')], {
    serviceOf: ({ name }, options) => caller.services.open(name, { maxFrameBytes, ...options }),
  });
  caller.table.onInstances = (server) => host.reachable(server);
  const [nowhere, gone] = await host.start();
  expect(nowhere).toMatchObject({ state: 'unreachable', reason: expect.stringContaining('no node runs it yet') });
  expect(gone).toMatchObject({
    state: 'unreachable',
    reason: expect.stringContaining('node "gone" is not in the fleet'),
  });
  await a.run('nowhere', named('a').service);
  await until('it is ready', () => host.status()[0]!.state === 'ready');
  expect(await host.callTool('nowhere', 'who')).toMatchObject({ content: [{ text: 'a' }] });
  caller.table.onInstances = undefined;
});

test('a connection to a new server waits until a node runs it', async () => {
  const patient = await RouteNode.join(nats.url, 'patient');
  const waited = patient.connect('soon', { maxFrameBytes });
  await patient.network.flush();
  await a.run('soon', named('a').service);
  const client = await waited;
  expect(await client.callTool('who')).toMatchObject({ content: [{ text: 'a' }] });
  const abort = new AbortController();
  const given = patient
    .connect('never', { maxFrameBytes, client: { signal: abort.signal } })
    .catch((error: unknown) => error);
  abort.abort(new Error('enough'));
  expect(await given).toMatchObject({ message: 'enough' });
  await client.close();
  await patient.close();
});

test('a call to an instance on the same node is neither serialized nor sent', async () => {
  const frames: unknown[] = [];
  const observer = { sent: (text: string) => frames.push(text), hop: (hop: ObservedHop) => frames.push(hop) };
  const answer = { content: [] };
  const callers: unknown[] = [];
  const service = new OpaqueService((given) => {
    callers.push(given);
    return answer;
  });
  await a.run('near', service);
  await until('it is known', () => a.table.instancesOf('near').length === 1);
  const client = await a.connect('near', { maxFrameBytes, observer });
  const published = vi.spyOn(a.network, 'publish');
  const [params, test] = [{ name: 'x', arguments: { unserializable: 1n } }, new TestCaller()];
  expect(await client.service.request('tools/call', params, test)).toBe(answer);
  expect(service.requests.at(-1)!.params).toBe(params);
  expect(callers).toEqual([test]);
  const heard = new TestWatcher({ toolsListChanged: true });
  const stop = await client.service.watch(heard);
  service.tell('toolsListChanged', 'notifications/tools/list_changed', undefined);
  expect(heard.heard).toHaveLength(1);
  await stop();
  expect(service.watchers.size).toBe(0);
  expect(frames).toEqual([]);
  expect(published).not.toHaveBeenCalled();
  published.mockRestore();
  await client.close();
});

test('a notification of an extension reaches the instance of its client, on the same and on another node', async () => {
  const service = new OpaqueService();
  await a.run('notified', service);
  const { client: facts } = new TestCaller();
  for (const node of [caller, a]) {
    await until('it is known', () => node.table.instancesOf('notified').length === 1);
    const client = await node.connect('notified', { maxFrameBytes });
    client.service.notify('notifications/roots/list_changed', undefined, facts);
    client.service.notify('notifications/example/label', { text: node.name }, facts);
    await until('it has arrived', () => service.notifications.at(-1)?.params?.text === node.name);
    await client.close();
  }
  expect(service.notifications.map(({ method }) => method)).toEqual(Array(2).fill('notifications/example/label'));
  expect(service.notifications[0]!.client.info).toEqual(facts.info);
  expect(service.notifications[1]!.client).toBe(facts);
});

test('calls a server in the config of another node, and reports the node and the times of its answer', async () => {
  const offering = await RouteNode.join(nats.url, 'offers', { offers: ['own'] });
  offering.offer('own', named('own of offers').service);
  await until('it is known', () => caller.table.servers().includes('own@offers'));
  const hops: ObservedHop[] = [];
  const frames: string[] = [];
  const observer = {
    hop: (hop: ObservedHop) => hops.push(hop),
    sent: (text: string) => frames.push(`> ${JSON.parse(text).method}`),
    received: (bytes: Uint8Array) => frames.push(`< ${JSON.parse(Buffer.from(bytes).toString()).id}`),
  };
  const client = await caller.connect('own@offers', { maxFrameBytes, observer });
  expect(await client.callTool('who')).toMatchObject({ content: [{ text: 'own of offers' }] });
  expect(frames).toEqual(['> server/discover', '< 1', '> tools/call', '< 2']);
  const { ms, uncertaintyMs } = await measured('offers');
  // Both nodes use the same clock, so the true offset is 0.
  expect(Math.abs(ms)).toBeLessThanOrEqual(uncertaintyMs + 1);
  await until('a later call has its hops', async () => {
    await client.callTool('who');
    return hops.some(({ offsetMs }) => offsetMs !== undefined);
  });
  expect(hops.at(-1)).toMatchObject({ id: expect.any(Number), node: 'offers', receivedMs: expect.any(Number) });
  await client.close();
  await offering.close();
});

async function measured(node: string) {
  await until('the offset is measured', () => caller.services.clockOffset(node) !== undefined);
  return caller.services.clockOffset(node)!;
}

test('equal ids and progress tokens of many clients on two nodes are never mixed up', async () => {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  server.tool('echo', any, async ({ text }: { text?: string }, call) => {
    call.progress(1, 2, text);
    await new Promise((resolve) => setImmediate(resolve));
    call.progress(2, 2, text);
    return text!;
  });
  await Promise.all([a, b].map((node, at) => node.run('echo', server.service, at + 1)));
  const calling = [caller, c];
  for (const node of calling) await until('known', () => node.table.instancesOf('echo').length === 2);
  const clients = await Promise.all(
    calling.flatMap((node) => Array.from({ length: 10 }, () => node.connect('echo', { maxFrameBytes }))),
  );
  const wrong: unknown[] = [];
  const one = async (client: Client, text: string) => {
    const test = new TestCaller();
    const result = await client.service.request('tools/call', { name: 'echo', arguments: { text } }, test);
    const { content } = result as { content: { text: string }[] };
    const seen = [content[0]!.text, ...test.progressed.map(({ message }) => message)];
    if (seen.length !== 3 || seen.some((each) => each !== text)) wrong.push({ text, seen });
  };
  await Promise.all(
    clients.flatMap((client, at) => Array.from({ length: 25 }, (_, call) => one(client, `${at}/${call}`))),
  );
  expect(wrong).toEqual([]);
  await Promise.all(clients.map((client) => client.close()));
});

test('requests to a service that is closed, or was never started, are refused', async () => {
  await replicas('closed', a);
  const service = caller.services.open('closed', { maxFrameBytes });
  const ping = async () => service.request('ping', {}, new TestCaller());
  await expect(ping()).rejects.toMatchObject({ code: 'NOT_STARTED' });
  await service.start();
  expect(await ping()).toEqual({});
  await expect(service.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
  await service.close();
  await expect(ping()).rejects.toMatchObject({ code: 'NOT_SENT' });
  await expect(caller.services.open('never there', { maxFrameBytes }).start()).rejects.toThrow(PeerError);
});
