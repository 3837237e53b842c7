// A tool that the entry of its server denies is neither called nor listed on any path.

import { join } from 'node:path';
import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallUpdate } from '../../src/app/inspector/api.ts';
import { startInspector } from '../../src/app/inspector/server.ts';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Service } from '../../src/mcp/service.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { Page } from '../inspector/inspecting.ts';
import { folder, serverFile } from './run-host.ts';

const entry = {
  command: process.execPath,
  args: [serverFile('notes')],
  env: { OWN: 'a' },
  tools: { deny: ['only_a'] },
};
let host: Host;
let remote: RemoteHost;
let page: Page;
const gateway: Record<string, OfficialClient> = {};
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  host = new Host({ mcpServers: { a: entry } });
  closing.push(() => host.stop());
  await host.start();
  const path = join(folder, 'denied');
  const control = await serveControl(host, path);
  closing.push(() => control.close());
  remote = (await RemoteHost.connect(path))!;
  closing.push(() => remote.close());
  const http = await serveHttp((name) => host.service(name));
  closing.push(() => http.close());
  const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
  for (const server of ['', '/a']) {
    const client = new OfficialClient({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}${server}`), { requestInit }));
    closing.push(() => client.close());
    gateway[server] = client;
  }
  const inspector = await startInspector(hostSource(host), { port: 0 });
  closing.push(() => inspector.close());
  page = new Page(inspector);
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const ask = async (service: Service, method: string, params: object = {}) =>
  service.request(method, params as Record<string, unknown>, new TestCaller());

async function onPage(name: string): Promise<unknown> {
  const { id } = await page.post<{ id: string }>('servers/a/call', { kind: 'tool', name, args: {} });
  const update = async () => (await page.get<CallUpdate[]>('calls')).find((each) => each.id === id)!;
  await expect.poll(async () => (await update()).state).not.toBe('running');
  const { state, result, ...problem } = await update();
  if (state !== 'done') throw new Error(JSON.stringify(problem));
  return result;
}

/** Calls by the name of the tool in its server, and by its name in the merged service. */
const calls: Record<string, (own: string, merged: string) => Promise<unknown>> = {
  'host.callTool': (own) => host.callTool('a', own),
  'host.use': (own) => host.use('a', (client) => client.callTool(own)),
  'the service of the server': (own) => ask(host.service('a'), 'tools/call', { name: own }),
  'the service of all servers': (_own, merged) => ask(host.service(), 'tools/call', { name: merged }),
  'the service of all servers, by its own name': (own) => ask(host.service(), 'tools/call', { name: own }),
  'the name of the tool alone': async (own) => host.callTool((await host.findTool(own)).server, own),
  'the socket': (own) => remote.client('a').callTool(own),
  'a request over the socket': (own) => remote.client('a').request('tools/call', { name: own }),
  'the gateway': (own) => gateway['/a']!.callTool({ name: own, arguments: {} }),
  'the gateway to all servers': (_own, merged) => gateway['']!.callTool({ name: merged, arguments: {} }),
  'the Inspector': onPage,
};

test.each(Object.entries(calls))('a denied tool is not called by %s', async (_path, call) => {
  expect(await call('write', 'a__write')).toMatchObject({ content: [{ text: 'a has undefined' }] });
  await expect(call('only_a', 'a__only_a')).rejects.toThrow(/only_a/);
});

test('a denied tool is not called with the state of another call', async () => {
  const params = { name: 'only_a', requestState: 'x', inputResponses: {} };
  await expect(ask(host.service('a'), 'tools/call', params)).rejects.toThrow();
  await expect(ask(host.service(), 'tools/call', { ...params, name: 'a__only_a' })).rejects.toThrow();
});

const lists: Record<string, () => Promise<unknown>> = {
  'host.tools': async () => (await host.tools({ start: true })).tools,
  'host.use': () => host.use('a', (client) => client.listTools()),
  'the service of the server': () => ask(host.service('a'), 'tools/list'),
  'the service of all servers': () => ask(host.service(), 'tools/list'),
  'the socket': () => remote.client('a').listTools(),
  'the list of tools of the socket': () => remote.tools(),
  'the gateway': () => gateway['/a']!.listTools(),
  'the gateway to all servers': () => gateway['']!.listTools(),
  'the Inspector': () => page.get('servers/a/offer'),
};

test.each(Object.entries(lists))('is not listed by %s', async (_path, list) => {
  const text = JSON.stringify(await list());
  expect(text).toContain('write');
  expect(text).not.toContain('only_a');
});
