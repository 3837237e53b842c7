// Client capabilities that are announced to a server of 2025-11-25 on each path from a client, with real programs: questions that somebody
// can answer, and nothing if the entry has `"clientCapabilities": []`.

import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallUpdate } from '../../src/app/inspector/api.ts';
import { hasTerminal } from '../fixtures/python.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { inspectHost } from '../inspector/inspecting.ts';
import {
  cleanEnv,
  folder,
  gatewayIn,
  program,
  runCli,
  runOnTerminal,
  startCli,
  stopHost,
  writeConfig,
} from './run-cli.ts';

const server = fileURLToPath(new URL('../host/servers/reports-capabilities.mjs', import.meta.url));
const entry = { command: process.execPath, args: [server], revision: '2025-11-25', autoStart: false };
const none = { clientCapabilities: [] };
const form = { elicitation: { form: {} } };

let host: ReturnType<typeof startCli>;
let log = '';
const config = writeConfig('announced.json', {
  connected: entry,
  unable: entry,
  silent: { ...entry, ...none },
  overHttp: entry,
  unableOverHttp: entry,
  silentOverHttp: { ...entry, ...none },
  mixed: entry,
});

beforeAll(async () => {
  host = startCli(['up', '--no-inspector', '--http', '0', '--config', config]);
  for (const stream of [host.stdout, host.stderr]) stream.on('data', (chunk) => (log += chunk));
  await until(`the gateway is served: ${log}`, () => gatewayIn(log) !== undefined);
});
afterAll(() => stopHost(host));

function textOf(result: unknown): { announced: object } {
  return JSON.parse((result as { content: [{ text: string }] }).content[0].text);
}

function overStdio(name: string): StdioClientTransport {
  const args = [program, 'connect', name, '--config', config];
  return new StdioClientTransport({
    command: process.execPath,
    args,
    env: cleanEnv as Record<string, string>,
    cwd: folder,
  });
}

function overHttp(name: string): StreamableHTTPClientTransport {
  const { url, token } = gatewayIn(log)!;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(new URL(`${url}/${name}`), { requestInit });
}

test.each([
  ['connect, of a client that can be asked', overStdio, 'connected', form, form],
  ['connect, of a client that cannot', overStdio, 'unable', {}, {}],
  ['connect, with an entry that excludes all', overStdio, 'silent', form, {}],
  ['the gateway, of a client that can be asked', overHttp, 'overHttp', form, form],
  ['the gateway, of a client that cannot', overHttp, 'unableOverHttp', {}, {}],
  ['the gateway, with an entry that excludes all', overHttp, 'silentOverHttp', form, {}],
])('announces the capabilities of a client that uses %s', async (_path, open, name, capabilities, announced) => {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  await client.connect(open(name));
  const { content } = await client.callTool({ name: 'announced', arguments: {} });
  await client.close();
  expect(textOf({ content }).announced).toEqual(announced);
});

test('the gateway refuses questions that its client did not declare', async () => {
  const call = async (capabilities: object, name: string) => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities });
    await client.connect(overHttp('mixed'));
    const result = await client.callTool({ name, arguments: {} });
    await client.close();
    return textOf(result);
  };
  expect((await call(form, 'announced')).announced).toEqual(form);
  expect(await call({}, 'ask')).toMatchObject({ code: -32601 });
  expect(await call(form, 'askUrl')).toMatchObject({ code: -32602 });
});

describe('call announces', () => {
  const alone = writeConfig('announced-alone.json', { able: entry, silent: { ...entry, ...none } });
  const call = (name: string) => ['call', name, 'announced', '--config', alone];

  test('no capabilities without a terminal', async () => {
    for (const name of ['able', 'silent']) expect((await runCli(call(name))).stdout).toContain('"announced":{}');
  });

  test.skipIf(!hasTerminal)('elicitation on a terminal, unless the entry excludes it', async () => {
    const env = { NO_COLOR: '1' };
    const { stdout } = await runOnTerminal(call('able'), { env, columns: 200 });
    expect(stdout.replaceAll(/\s/g, '')).toContain('"announced":{"elicitation":{"form":{},"url":{}}}');
    const silent = await runOnTerminal(call('silent'), { env, columns: 200 });
    expect(silent.stdout.replaceAll(/\s/g, '')).toContain('"announced":{}');
  });
});

test.each([
  ['closed', false, {}, false],
  ['open', true, {}, true],
  ['open, with an entry that excludes all', true, none, false],
])('announces elicitation by the state of the Inspector page: %s', async (_state, isOpen, more, isAnnounced) => {
  const config = serverConfig('a', '', { args: [server], revision: '2025-11-25', autoStart: false, ...more } as never);
  const page = await inspectHost([config], { needsPage: true }); // as in `up`
  if (isOpen) await page.live();
  const { id } = await page.post<{ id: string }>('servers/a/call', { kind: 'tool', name: 'announced', args: {} });
  const found = async () => (await page.get<CallUpdate[]>('calls')).find((each) => each.id === id)!;
  await expect.poll(async () => (await found()).state, { timeout: 30_000 }).toBe('done');
  expect('elicitation' in textOf((await found()).result).announced).toBe(isAnnounced);
});
