// What a server before 2026-07-28 is announced when its process starts: what its clients can be asked for, and nothing else.

import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { undescribed } from '../../src/host/services/typed-client.ts';
import { Client } from '../../src/mcp/client/client.ts';
import type { InputHandlers } from '../../src/mcp/client/options.ts';
import { newClient } from '../../src/mcp/service.ts';
import { openHost, serverFile, writeConfig } from './run-host.ts';

const entry = { command: process.execPath, args: [serverFile('reports-capabilities')], revision: '2025-11-25' };
const asks: InputHandlers = { elicit: () => ({ action: 'accept', content: {} }) };
const samples: InputHandlers = {
  sample: () => ({ role: 'assistant', model: 'x', content: { type: 'text', text: '' } }),
};

const open = (more: object = {}, options: HostOptions = {}) =>
  openHost({ a: { ...entry, autoStart: false, ...more } }, options);

/** A client as the gateway has it. */
function clientOf(host: Host, inputs: InputHandlers = {}, principal?: string) {
  const options = { ...inputs, identity: newClient(principal), checkOutput: false };
  return new Client(host.service('a'), undescribed, options);
}

async function call(client: Pick<Client, 'callTool'>, tool = 'announced') {
  const { content } = await client.callTool(tool);
  return JSON.parse((content as unknown as [{ text: string }])[0].text);
}

const announced = async (client: Pick<Client, 'callTool'>) => (await call(client)).announced;

test('a client without capabilities: nothing, and a question is refused at once', async () => {
  const host = await open();
  expect(await announced(clientOf(host))).toEqual({});
  expect(await call(clientOf(host), 'ask')).toMatchObject({ code: -32601 });
});

test('the clients of a shared process: what those have that are known when it starts', async () => {
  const host = await open();
  const [able, unable] = [clientOf(host, asks), clientOf(host)];
  expect(await announced(able)).toEqual({ elicitation: { form: {} } });
  expect(await announced(unable)).toEqual({ elicitation: { form: {} } });
  expect(await call(able, 'ask')).toEqual({ action: 'accept', content: {} });
  expect(host.status()[0]!.processes).toHaveLength(1);
});

test('a client with more than the shared process was announced: the process starts again before its first call, and not after it', async () => {
  const host = await open();
  await clientOf(host).listTools();
  const able = clientOf(host, asks);
  const first = await call(able);
  expect(first.announced).toEqual({ elicitation: { form: {} } });
  expect(host.status()[0]!.questions.unannounced).toBeUndefined();
  const abler = clientOf(host, { ...asks, ...samples });
  expect(await call(abler)).toEqual(first);
  expect(await call(able)).toEqual(first);
  expect(host.status()[0]!.processes.map(({ owner }) => owner)).toEqual(['all']);
  expect(host.status()[0]!.questions.unannounced).toEqual(['sampling']);
  await host.restartServer('a');
  expect(await announced(abler)).toEqual({ elicitation: { form: {} }, sampling: {} });
  expect(host.status()[0]!.questions.unannounced).toBeUndefined();
});

test('one principal with every set of capabilities: one process, and the questions of others are asked', async () => {
  const host = await open();
  const able = clientOf(host, asks, 'alice');
  const { pid } = await call(able);
  const sets = [{}, asks, samples, { roots: [] }, { ...asks, ...samples }, { ...samples, roots: [] }];
  const calls = await Promise.all(sets.map((inputs) => call(clientOf(host, inputs, 'mallory'))));
  expect(new Set(calls.map((each) => each.pid))).toEqual(new Set([pid]));
  expect(host.status()[0]!.processes).toHaveLength(1);
  expect(await call(able, 'ask')).toEqual({ action: 'accept', content: {} });
});

test('a call that is known to ask starts no process because of what its client can be asked for', async () => {
  const host = await open({ asks: ['announced'] });
  const { pid } = await call(clientOf(host));
  expect(await call(clientOf(host, asks))).toEqual({ pid, announced: {} });
});

test('a client that comes while the shared process starts: the process starts again before its first call', async () => {
  const host = await open();
  const listed = clientOf(host).listTools();
  expect(host.status()[0]!.state).toBe('starting');
  expect(await announced(clientOf(host, asks))).toEqual({ elicitation: { form: {} } });
  await listed;
  expect(host.status()[0]!.processes).toHaveLength(1);
});

test('"clientCapabilities" of a changed entry hold for clients that were known before', async () => {
  const host = await open();
  const able = clientOf(host, { ...asks, ...samples });
  expect(await announced(able)).toEqual({ elicitation: { form: {} }, sampling: {} });
  const changed = { a: { ...entry, autoStart: false, clientCapabilities: ['sampling'] } };
  await host.reload(await loadConfig({ file: writeConfig(changed) }));
  expect(await announced(able)).toEqual({ sampling: {} });
});

test('"clientCapabilities": [] announces nothing, whatever clients and the host can answer', async () => {
  const host = await open({ clientCapabilities: [] }, { inputs: () => ({ ...asks, ...samples }) });
  expect(await announced(clientOf(host, asks))).toEqual({});
  expect(await call(clientOf(host, asks), 'ask')).toMatchObject({ code: -32601 });
});

test('"share": "client": what that client has, and not what the host answers', async () => {
  const host = await open({ share: 'client' }, { inputs: () => asks });
  expect(await announced(clientOf(host, samples))).toEqual({ sampling: {} });
  expect(await announced(clientOf(host))).toEqual({});
});

test('the handlers of the host count where somebody answers them', async () => {
  for (const isAnswered of [true, false]) {
    const host = await open({}, { inputs: () => ({ ...asks, isAnswered: () => isAnswered }) });
    const calls = { callTool: (name: string) => host.callTool('a', name) } as Pick<Client, 'callTool'>;
    expect(await announced(calls)).toEqual(isAnswered ? { elicitation: { form: {} } } : {});
  }
});

test('a page that is opened after the first call: its calls may be asked after a restart', async () => {
  let isAnswered = false;
  const host = await open({}, { inputs: () => ({ ...asks, isAnswered: () => isAnswered }) });
  const calls = { callTool: (name: string) => host.callTool('a', name) } as Pick<Client, 'callTool'>;
  expect(await announced(calls)).toEqual({});
  isAnswered = true;
  expect(await announced(calls)).toEqual({});
  expect(host.status()[0]!.questions.unannounced).toEqual(['elicitation.form']);
  await host.restartServer('a');
  expect(await announced(calls)).toEqual({ elicitation: { form: {} } });
  expect(await call(calls, 'ask')).toEqual({ action: 'accept', content: {} });
  expect(host.status()[0]!.processes).toHaveLength(1);
});

test('a question that its client did not declare and nobody can answer is refused: no decision of a user is invented', async () => {
  const host = await open({}, { inputs: () => ({ ...asks, elicitModes: ['form', 'url'], isAnswered: () => false }) });
  expect(await call(clientOf(host, asks))).toMatchObject({ announced: { elicitation: { form: {} } } });
  expect(await call(clientOf(host), 'ask')).toMatchObject({ code: -32601 });
  expect(await call(clientOf(host, asks), 'askUrl')).toMatchObject({ code: -32602 });
});
