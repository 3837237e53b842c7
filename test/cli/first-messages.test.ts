// Clients of a shared server get the answer to `initialize` first, and notifications of changed lists only if the server declares them:
// over `connect` and HTTP, for the first and later clients, before and after a restart.

import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { until } from '../fixtures/server.ts';
import { runCli, startCli } from './run-cli.ts';

const script = fileURLToPath(new URL('../host/servers/declares.mjs', import.meta.url));
const capabilities = { tools: { listChanged: true }, prompts: {} };
const words = [script, JSON.stringify(capabilities)];

interface Message {
  id?: number;
  method?: string;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => runCli(['down', '--shared']));

/** A client that writes lines to `standpipe connect` and keeps all messages that arrive. */
function connectedRaw() {
  const child = startCli(['connect', '--', process.execPath, ...words]);
  const messages: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)));
  closing.push(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'close');
  });
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (id: number) =>
    until(`answer ${id}`, () => messages.some((message) => message.id === id && !message.method));
  return { messages, write, answer };
}

const clientInfo = { name: 'raw', version: '1' };
const initialize = (id: number) => ({
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
});
const shown = (messages: Message[]) => messages.map(({ id, method }) => method ?? id);

test('a client of connect gets the answer to initialize first, and declared changes after a restart', async () => {
  const first = connectedRaw();
  first.write(initialize(1));
  await first.answer(1);
  const second = connectedRaw(); // this client does not wait for answers
  second.write(initialize(1));
  second.write({ method: 'notifications/initialized' });
  second.write({ id: 2, method: 'tools/list' });
  await second.answer(2);
  first.write({ method: 'notifications/initialized' });
  first.write({ id: 2, method: 'tools/list' });
  await first.answer(2);
  expect(shown(first.messages)).toEqual([1, 2]);
  expect(shown(second.messages).sort()).toEqual([1, 2]);

  expect(await runCli(['restart', basename(process.execPath), '--shared'])).toMatchObject({ code: 0 });
  const changed = 'notifications/tools/list_changed';
  for (const client of [first, second]) {
    await until('the restart is announced', () => client.messages.some(({ method }) => method === changed));
    client.write({ id: 3, method: 'tools/list' });
    await client.answer(3);
    expect(shown(client.messages).slice(2)).toEqual([changed, 3]);
  }
});

test.each([
  ['one server', '/declares', ['notifications/tools/list_changed']],
  [
    'all servers as one',
    '',
    ['notifications/tools/list_changed', 'notifications/resources/list_changed', 'notifications/prompts/list_changed'],
  ],
])('clients over HTTP of %s are notified of a restart, and not of the first start', async (_, path, announced) => {
  const host = new Host({ mcpServers: { declares: { command: process.execPath, args: words } } });
  closing.push(() => host.stop());
  const http = await serveHttp((name) => host.service(name));
  closing.push(() => http.close());
  const connected = async () => {
    const client = new Client({ name: 'official', version: '1' }, { supportedProtocolVersions: ['2025-11-25'] });
    const notified: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
    const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}${path}`), { requestInit }));
    closing.push(() => client.close());
    await client.listTools();
    return { client, notified };
  };
  const clients = [await connected(), await connected()];
  if (path !== '') for (const { notified } of clients) expect(notified).toEqual([]);
  for (const { notified } of clients) notified.length = 0;
  await host.restartServer('declares');
  for (const { client, notified } of clients) {
    await until('the restart is announced', () => announced.every((method) => notified.includes(method)));
    await client.listTools();
    expect(new Set(notified)).toEqual(new Set(announced));
  }
});
