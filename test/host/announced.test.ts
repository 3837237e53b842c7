// The client capabilities that a server before 2026-07-28 receives when its process starts: only those that its clients
// have.

import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { undescribed } from '../../src/host/services/typed-client.ts';
import { Client } from '../../src/mcp/client/client.ts';
import type { InputHandlers } from '../../src/mcp/client/options.ts';
import { type ClientFacts, newClient, silentCaller } from '../../src/mcp/service.ts';
import { openHost, serverFile, writeConfig } from './run-host.ts';

const entry = { command: process.execPath, args: [serverFile('reports-capabilities')], revision: '2025-11-25' };
const asks: InputHandlers = { elicit: () => ({ action: 'accept', content: {} }) };
const samples: InputHandlers = {
  sample: () => ({ role: 'assistant', model: 'x', content: { type: 'text', text: '' } }),
};

const open = (more: object = {}, options: HostOptions = {}) =>
  openHost({ a: { ...entry, autoStart: false, ...more } }, options);

/** A client as the gateway creates it. */
function clientOf(host: Host, inputs: InputHandlers = {}, principal?: string) {
  const options = { ...inputs, identity: newClient(principal), checkOutput: false };
  return new Client(host.service('a'), undescribed, options);
}

async function call(client: Pick<Client, 'callTool'>, tool = 'announced') {
  const { content } = await client.callTool(tool);
  return JSON.parse((content as unknown as [{ text: string }])[0].text);
}

const announced = async (client: Pick<Client, 'callTool'>) => (await call(client)).announced;

test('a client without capabilities declares none, and a question is refused at once', async () => {
  const host = await open();
  expect(await announced(clientOf(host))).toEqual({});
  expect(await call(clientOf(host), 'ask')).toMatchObject({ code: -32601 });
});

test('declares the capabilities of the clients that are known when a shared process starts', async () => {
  const host = await open();
  const [able, unable] = [clientOf(host, asks), clientOf(host)];
  expect(await announced(able)).toEqual({ elicitation: { form: {} } });
  expect(await announced(unable)).toEqual({ elicitation: { form: {} } });
  expect(await call(able, 'ask')).toEqual({ action: 'accept', content: {} });
  expect(host.status()[0]!.processes).toHaveLength(1);
});

test('a client with further capabilities restarts the shared process before its first call, and not after it', async () => {
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

test('one principal with all sets of capabilities shares one process, and other principals still receive questions', async () => {
  const host = await open();
  const able = clientOf(host, asks, 'alice');
  const { pid } = await call(able);
  const sets = [{}, asks, samples, { roots: [] }, { ...asks, ...samples }, { ...samples, roots: [] }];
  const calls = await Promise.all(sets.map((inputs) => call(clientOf(host, inputs, 'mallory'))));
  expect(new Set(calls.map((each) => each.pid))).toEqual(new Set([pid]));
  expect(host.status()[0]!.processes).toHaveLength(1);
  expect(await call(able, 'ask')).toEqual({ action: 'accept', content: {} });
});

test('a call of a tool that is declared to ask does not restart the process for the capabilities of its client', async () => {
  const host = await open({ asks: ['announced'] });
  const { pid } = await call(clientOf(host));
  expect(await call(clientOf(host, asks))).toEqual({ pid, announced: {} });
});

test('a client that connects while the shared process starts restarts it before the first call', async () => {
  const host = await open();
  const listed = clientOf(host).listTools();
  expect(host.status()[0]!.state).toBe('starting');
  expect(await announced(clientOf(host, asks))).toEqual({ elicitation: { form: {} } });
  await listed;
  expect(host.status()[0]!.processes).toHaveLength(1);
});

test('"clientCapabilities" of a changed entry apply to earlier clients too', async () => {
  const host = await open();
  const able = clientOf(host, { ...asks, ...samples });
  expect(await announced(able)).toEqual({ elicitation: { form: {} }, sampling: {} });
  const changed = { a: { ...entry, autoStart: false, clientCapabilities: ['sampling'] } };
  await host.reload(await loadConfig({ file: writeConfig(changed) }));
  expect(await announced(able)).toEqual({ sampling: {} });
});

test('"clientCapabilities": [] declares nothing, whatever clients and the host can answer', async () => {
  const host = await open({ clientCapabilities: [] }, { inputs: () => ({ ...asks, ...samples }) });
  expect(await announced(clientOf(host, asks))).toEqual({});
  expect(await call(clientOf(host, asks), 'ask')).toMatchObject({ code: -32601 });
});

test('"share": "client" declares the capabilities of that client, not of the host', async () => {
  const host = await open({ share: 'client' }, { inputs: () => asks });
  expect(await announced(clientOf(host, samples))).toEqual({ sampling: {} });
  expect(await announced(clientOf(host))).toEqual({});
});

test('declares the handlers of the host only while they can answer', async () => {
  for (const isAnswered of [true, false]) {
    const host = await open({}, { inputs: () => ({ ...asks, isAnswered: () => isAnswered }) });
    const calls = { callTool: (name: string) => host.callTool('a', name) } as Pick<Client, 'callTool'>;
    expect(await announced(calls)).toEqual(isAnswered ? { elicitation: { form: {} } } : {});
  }
});

test('the capabilities of a page that is opened after the first call are declared after a restart', async () => {
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

test('refuses a question that no client can answer instead of answering for the user', async () => {
  const host = await open({}, { inputs: () => ({ ...asks, elicitModes: ['form', 'url'], isAnswered: () => false }) });
  expect(await call(clientOf(host, asks))).toMatchObject({ announced: { elicitation: { form: {} } } });
  expect(await call(clientOf(host), 'ask')).toMatchObject({ code: -32601 });
  expect(await call(clientOf(host, asks), 'askUrl')).toMatchObject({ code: -32602 });
});

/** A client that declares these extensions. */
function withExtensions(names: readonly string[], principal: string): ClientFacts {
  const extensions = Object.fromEntries(names.map((name) => [`com.example/${name}`, {}]));
  const identity = newClient(principal);
  return { identity, revision: '2025-11-25', capabilities: { extensions }, info: undefined, logLevel: undefined };
}

test('extensions of one principal do not keep the capabilities of others from the process, and are forgotten with its clients', async () => {
  const host = await open();
  const service = host.service('a');
  const clients = Array.from({ length: 10 }, (_, at) =>
    withExtensions(
      Array.from({ length: 32 }, (_, n) => `${at}-${n}`),
      'mallory',
    ),
  );
  for (const each of clients) await service.request('tools/list', {}, silentCaller(each));
  const able = clientOf(host, asks, 'ada');
  const declared = await announced(able);
  expect(declared).toMatchObject({ elicitation: { form: {} } });
  expect(Object.keys(declared.extensions)).toHaveLength(64);
  for (const { identity } of clients) service.gone?.(identity);
  await host.restartServer('a');
  expect(await announced(able)).toEqual({ elicitation: { form: {} } });
});

test('cancelled requests with new extensions restart an unused process once', async () => {
  const host = await open();
  const service = host.service('a');
  await clientOf(host).listTools();
  for (let at = 0; at < 4; at++) {
    const caller = { ...silentCaller(withExtensions([`new-${at}`], 'mallory')), signal: AbortSignal.abort() };
    await expect(service.request('tools/call', { name: 'announced' }, caller)).rejects.toThrow();
    await clientOf(host).listTools();
  }
  expect(host.status()[0]!.processes.map(({ generation }) => generation)).toEqual([2]);
});
