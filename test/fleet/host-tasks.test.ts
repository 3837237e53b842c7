// Tasks of a host on one node of a fleet, read through the hosts of two other nodes.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { FleetRecords } from '../../src/host/fleet/fleet-records.ts';
import { remoteEntry } from '../../src/host/fleet/route/routing-table.ts';
import { ownInstanceOf } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { handle, readHandle } from '../../src/mcp/handles.ts';
import { newClient, type Params, type Result, type Service } from '../../src/mcp/service.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { type Placed, RouteNode } from '../fixtures/fleet/route-node.ts';
import { until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const args = [fileURLToPath(new URL('../fixtures/tasks/slow-server.mjs', import.meta.url))];
const entry = { command: process.execPath, args, tasks: { after: '1ms' } };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let last = 0;

async function join(name: string, offers?: string[]) {
  const notes: string[] = [];
  const node = await RouteNode.join(nats.url, `${name}${last}`, { ...(offers && { offers }) });
  const records = new FleetRecords(node.network, node.table, systemClock, (text) => notes.push(text));
  closing.push(async () => {
    records.close();
    await node.close();
  });
  return { node, records, notes };
}

/** A client of 2025-11-25. */
function experimental(service: Service, principal = 'ada', answers: TestCaller = new TestCaller()) {
  const caller = Object.assign(answers, { request: {} });
  const identity = newClient(principal);
  const client = { ...caller.client, revision: '2025-11-25' as const, capabilities: { elicitation: {} }, identity };
  const by = Object.assign(caller, { client }) as never;
  const request = async (method: string, params: Params) => service.request(method, params, by);
  return {
    capabilities: async () => (await service.describe(client)).capabilities,
    request,
    create: async (name: string) => {
      const { task } = (await request('tools/call', { name, arguments: {}, task: {} })) as never as {
        task: { taskId: string };
      };
      return task.taskId;
    },
  };
}

type Ask = (principal: string, method: string, params: Params) => Promise<Result>;

function asker(service: Service): Ask {
  return async (principal, method, params) => {
    const caller = new TestCaller();
    const capabilities = { extensions: { [TASKS]: {} } };
    const client = { ...caller.client, revision: '2026-07-28', capabilities, identity: newClient(principal) };
    return service.request(method, params, Object.assign(caller, { client }) as never);
  };
}

/** Starts a node that runs the server, and two gateways. */
async function threeNodes() {
  const server = `slow${++last}`;
  const { node, records, notes } = await join('runs');
  let placed: Placed | undefined;
  const recordsOf = () => records.of(server, () => placed?.claim);
  const host = new Host({ mcpServers: { slow: entry } } as never, { recordsOf });
  closing.push(() => host.stop());
  await host.start();
  placed = await node.run(server, host.service('slow'));
  const [atOne, atOther] = await Promise.all(['one', 'other'].map((name) => gateway(name, server)));
  const call = async (tool: string) => {
    const { taskId, resultType } = await atOne!('ada', 'tools/call', { name: tool, arguments: {} });
    expect(resultType).toBe('task');
    return taskId as string;
  };
  return { host, node, notes, server, placed, atOne: atOne!, atOther: atOther!, call };
}

async function gateway(name: string, server: string): Promise<Ask> {
  return asker(await gatewayService(name, server));
}

async function gatewayService(name: string, server: string): Promise<Service> {
  const { node, records } = await join(name);
  const host = new Host([remoteEntry('route', server, undefined)], {
    serviceOf: (config, { client }) => node.services.open(config.name, { maxFrameBytes: 2 ** 24, client }),
    recordsOf: () => records.of(server),
  });
  closing.push(() => host.stop());
  await until('it is known', () => node.table.instancesOf(server).length === 1);
  return host.service(server);
}

const mayHaveRun = (node: RouteNode) => ({
  status: 'failed',
  error: {
    code: -32603,
    message: expect.stringMatching(/may have run/),
    data: { 'dev.standpipe/error': { code: 'OUTCOME_UNKNOWN', ran: { node: node.name, claim: 1 } } },
  },
});
const done = { status: 'completed', result: { content: [{ text: 'done' }] } };

test('any node reads a task for its principal, but not for others', async () => {
  const { host, atOne, atOther, call } = await threeNodes();
  const taskId = await call('result');
  for (const at of [atOne, atOther]) {
    expect(await at('ada', 'tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
    await expect(at('bob', 'tasks/get', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
  }
  await host.callTool('slow', 'release', {});
  for (const at of [atOther, atOne]) {
    await expect.poll(() => at('ada', 'tasks/get', { taskId })).toMatchObject({ taskId, ...done });
    await expect(at('bob', 'tasks/get', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
  }
});

test('a task fails when its node has ended, with the same outcome at every node', async () => {
  const { node, atOne, atOther, call } = await threeNodes();
  const taskId = await call('result');
  await node.network.close();
  // A node that the directory lists may be unreachable for a short time only, so its task is not reported as failed.
  expect(await atOne('ada', 'tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
  await forget(node);
  const states = await Promise.all([atOne, atOther].map((at) => at('ada', 'tasks/get', { taskId })));
  expect(states[0]).toMatchObject({ taskId, ...mayHaveRun(node) });
  expect(states[1]).toEqual(states[0]);
  expect(await atOne('ada', 'tasks/cancel', { taskId })).toEqual({});
  await expect(atOne('bob', 'tasks/get', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
});

test('a node that was wrongly considered ended does not change the outcome later', async () => {
  const { host, node, atOne, atOther, call } = await threeNodes();
  const taskId = await call('result');
  await forget(node);
  await expect.poll(() => atOne('ada', 'tasks/get', { taskId })).toMatchObject(mayHaveRun(node));
  await host.callTool('slow', 'release', {});
  const atNode = asker(host.service('slow'));
  const { id } = readHandle(taskId)!;
  await expect.poll(() => atNode('ada', 'tasks/get', { taskId: id })).toMatchObject({ status: 'failed' });
  for (const at of [atOne, atOther]) {
    expect(await at('ada', 'tasks/get', { taskId })).toMatchObject(mayHaveRun(node));
  }
});

test('a result stays readable after its node has ended, unless it is too long to be stored', async () => {
  const { host, node, atOne, atOther, call } = await threeNodes();
  const [short, long] = [await call('result'), await call('long')];
  await host.callTool('slow', 'release', {});
  await expect.poll(() => atOther('ada', 'tasks/get', { taskId: short })).toMatchObject(done);
  const whole = { status: 'completed', result: { content: [{ text: 'x'.repeat(300_000) }] } };
  await expect.poll(() => atOther('ada', 'tasks/get', { taskId: long })).toMatchObject(whole);
  await node.network.close();
  await forget(node);
  for (const at of [atOne, atOther]) {
    expect(await at('ada', 'tasks/get', { taskId: short })).toMatchObject({ taskId: short, ...done });
    expect(await at('ada', 'tasks/get', { taskId: long })).toMatchObject({
      status: 'failed',
      error: {
        message: expect.stringMatching(/has ended, but its result of 3\d{5} characters was too long to be kept/),
      },
    });
  }
});

test('a task of a server in the config of a node outlives the session of the node', async () => {
  last++;
  const { node } = await join('has', ['slow']);
  const host = new Host({ mcpServers: { slow: entry } } as never);
  closing.push(() => host.stop());
  node.offer('slow', host.service('slow'));
  const at = await gateway('one', `slow@${node.name}`);
  const { taskId } = await at('ada', 'tools/call', { name: 'result', arguments: {} });
  const { id } = readHandle(taskId)!;
  const earlier = handle(ownInstanceOf('slow', 'earlier'), id);
  expect(await at('ada', 'tasks/get', { taskId: earlier })).toMatchObject({ taskId: earlier, status: 'working' });
  await expect(at('bob', 'tasks/get', { taskId: earlier })).rejects.toMatchObject({ rpcCode: -32602 });
});

test('an id that is not a valid key is unknown, and does not break the connection to NATS', async () => {
  const { atOne, call } = await threeNodes();
  const working = await call('result');
  for (const id of ['x'.repeat(10_000), 'a b', '*', '>', '\r\nPUB x 0\r\n', '']) {
    const taskId = working.replace(/[^/]*$/, id);
    await expect(atOne('ada', 'tasks/get', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(atOne('ada', 'tasks/get', { taskId: id })).rejects.toMatchObject({ rpcCode: -32602 });
  }
  expect(await atOne('ada', 'tasks/get', { taskId: working })).toMatchObject({ status: 'working' });
});

test('a call is answered with a plain result if its task cannot be stored', async () => {
  const { host, node, notes, atOne } = await threeNodes();
  node.network.records = () => Promise.reject(new Error('no permission'));
  const answer = atOne('ada', 'tools/call', { name: 'result', arguments: {} });
  await host.callTool('slow', 'begun', {});
  await expect.poll(() => notes).toEqual(['A record of the fleet could not be written: no permission']);
  await host.callTool('slow', 'release', {});
  expect(await answer).toMatchObject({ content: [{ text: 'done' }] });
});

/** Starts two gateways for clients of 2025-11-25. */
async function twoGateways(server: string) {
  return Promise.all([gatewayService('third', server), gatewayService('fourth', server)]);
}

test('a gateway supports tasks for clients of 2025-11-25', async () => {
  const { host, server } = await threeNodes();
  const { capabilities, request, create } = experimental(await gatewayService('third', server));
  expect((await capabilities()).tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
  const { tools } = (await request('tools/list', {})) as { tools: { name: string; execution?: object }[] };
  expect(tools.find(({ name }) => name === 'result')?.execution).toEqual({ taskSupport: 'optional' });
  const taskId = await create('result');
  await expect.poll(() => request('tasks/get', { taskId })).toMatchObject({ status: 'working', statusMessage: 'half' });
  expect(await request('tasks/list', {})).toMatchObject({ tasks: [{ taskId }] });
  await host.callTool('slow', 'release', {});
  expect(await request('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'done' }] });
  expect(await request('tools/call', { name: 'quick', arguments: {} })).toMatchObject({ content: [{ text: 'quick' }] });
});

test('any gateway answers for a task of a 2025-11-25 client, for its principal alone', async () => {
  const { host, server, node } = await threeNodes();
  const [third, fourth] = await twoGateways(server);
  const taskId = await experimental(third!).create('result');
  const [ada, bob] = ['ada', 'bob'].map((principal) => experimental(fourth!, principal));
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    await expect(bob!.request(method, { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
  }
  expect(await bob!.request('tasks/list', {})).toMatchObject({ tasks: [] });
  expect(await ada!.request('tasks/list', {})).toMatchObject({ tasks: [{ taskId }] });
  expect(await ada!.request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
  const waiting = ada!.request('tasks/result', { taskId });
  await host.callTool('slow', 'release', {});
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId } };
  expect(await waiting).toMatchObject({ content: [{ text: 'done' }], _meta });
  await expect(ada!.request('tasks/cancel', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
  await node.network.close();
  await forget(node);
  expect(await ada!.request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
  expect(await ada!.request('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'done' }], _meta });
  await expect(bob!.request('tasks/result', { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
});

test('a question of a task reaches the 2025-11-25 client that waits for its result at any gateway', async () => {
  const { host, server } = await threeNodes();
  const [third, fourth] = await twoGateways(server);
  const taskId = await experimental(third!).create('question');
  const asked: unknown[] = [];
  const answers = Object.assign(new TestCaller(), {
    ask: async ({ params }: { params: unknown }) => {
      asked.push(params);
      return { action: 'accept', content: { name: 'Ada' } };
    },
  });
  const { request } = experimental(fourth!, 'ada', answers as never);
  const waiting = request('tasks/result', { taskId });
  await host.callTool('slow', 'release', {});
  expect(await waiting).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId } };
  expect(asked).toEqual([expect.objectContaining({ message: 'Name?', _meta: expect.objectContaining(_meta) })]);
});

test('a 2025-11-25 client cancels a task at any gateway', async () => {
  const { host, server } = await threeNodes();
  const [third, fourth] = await twoGateways(server);
  const taskId = await experimental(third!).create('result');
  await host.callTool('slow', 'begun', {});
  const { request } = experimental(fourth!);
  expect(await request('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' });
  await host.callTool('slow', 'aborted', {});
  expect(await request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'cancelled' });
});

test('a task of a 2025-11-25 client has failed when its node has ended, also for a client that waits', async () => {
  const { server, node } = await threeNodes();
  const [third, fourth] = await twoGateways(server);
  const taskId = await experimental(third!).create('result');
  const { request } = experimental(fourth!);
  const waiting = request('tasks/result', { taskId });
  expect(await request('tasks/get', { taskId })).toMatchObject({ status: 'working' });
  await node.network.close();
  await forget(node);
  await expect(waiting).rejects.toThrow(/may have run/);
  expect(await experimental(third!).request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'failed' });
});

/** Removes a node whose lease has expired, like the placer. */
async function forget({ name }: RouteNode): Promise<void> {
  const { node } = await join('placer');
  await node.forget(name);
}
