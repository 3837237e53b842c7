// All servers as one with tools that search: what a client sees, finds and calls.

import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import type { Params } from '../../src/mcp/service.ts';
import { cleanEnv, everythingEntry, folder, program, runCli, startCli, writeConfig } from '../cli/run-cli.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { until } from '../fixtures/server.ts';

const servers = { one: everythingEntry, two: { ...everythingEntry, tools: { deny: ['greet'] } } };

let host: Host;
beforeAll(async () => {
  host = await Host.open(writeConfig('search.json', servers));
  await host.start();
});
afterAll(() => host?.stop());

// biome-ignore lint/suspicious/noExplicitAny: results are opaque
const call = (name: string, args: Params, service = host.toolSearch): Promise<any> =>
  Promise.resolve(service.request('tools/call', { name, arguments: args }, new TestCaller()));
const textsOf = ({ content }: { content: { text: string }[] }) => content.map(({ text }) => text);

describe('a client of the search', () => {
  test('gets three tools in place of those of the servers', async () => {
    const { tools } = (await host.toolSearch.request('tools/list', {}, new TestCaller())) as {
      tools: { name: string }[];
    };
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool']);
    expect((await host.toolSearch.describe()).instructions).toContain('Tools of these servers: one, two.');
  });

  test('finds a tool with its parameters, describes it and calls it', async () => {
    const [found] = textsOf(await call('find_tools', { query: 'greets a person', limit: 1 }));
    expect(found).toBe('one__greet(name): Greets');
    const [described] = textsOf(await call('describe_tool', { names: ['one__greet'] }));
    expect(JSON.parse(described!)).toMatchObject({ name: 'one__greet', inputSchema: { required: ['name'] } });
    const result = await call('call_tool', { name: 'one__greet', arguments: { name: 'Ada' } });
    expect(textsOf(result)).toEqual(['Hello, Ada!']);
    expect(await call('call_tool', { name: 'two__fails' })).toMatchObject({ isError: true });
  });

  test('neither finds nor calls what the config denies', async () => {
    const [found] = textsOf(await call('find_tools', { query: 'greet', limit: 20 }));
    expect(found).not.toContain('two__greet');
    expect(textsOf(await call('describe_tool', { names: ['two__greet'] }))[0]).toContain(
      'There is no tool "two__greet"',
    );
    await expect(call('call_tool', { name: 'two__greet', arguments: { name: 'Ada' } })).rejects.toThrow();
  });

  test('finds tools of one server only, on request', async () => {
    const [found] = textsOf(await call('find_tools', { query: 'weather', server: 'two', limit: 20 }));
    expect(found!.split('\n').every((line) => line.startsWith('two__'))).toBe(true);
    expect(textsOf(await call('find_tools', { query: 'weather', server: 'three' }))[0]).toContain('No tool matches');
  });

  test.each([
    ['find_tools', {}],
    ['find_tools', { query: ' ' }],
    ['describe_tool', { names: 'greet' }],
    ['describe_tool', { names: [] }],
    ['call_tool', {}],
    ['call_tool', { name: 'call_tool' }],
    ['call_tool', { name: 'no-such-tool' }],
    ['no-such-tool', {}],
  ])('gets an error for %s with %j', async (name, args) => {
    await expect(call(name, args)).rejects.toThrow();
  });

  test('passes progress and the questions of a tool on', async () => {
    const caller = new TestCaller();
    const params = {
      name: 'call_tool',
      arguments: { name: 'one__works', arguments: { ms: 10 } },
      _meta: { progressToken: 1 },
    };
    await host.toolSearch.request('tools/call', params, caller);
    expect(caller.progressed.length).toBeGreaterThan(0);
  });

  test('finds the tools of a server that is added, and no longer those of one that is removed', async () => {
    const changing = new Host({ mcpServers: { one: everythingEntry } });
    onTestFinished(() => changing.stop());
    await changing.start();
    const all = async () =>
      textsOf(await call('find_tools', { query: 'weather', limit: 20 }, changing.toolSearch)).join();
    expect(await all()).toBe('one__weather()');
    await changing.reload((await Host.open({ mcpServers: { two: everythingEntry } })).config!);
    expect(await all()).toBe('two__weather()');
  });
});

test('a token with limited tools finds, describes and calls only these over HTTP', async () => {
  const config = writeConfig('search-http.json', { one: everythingEntry });
  const tokens = `${folder}/search-tokens.json`;
  const { stdout: token } = await runCli(['token', 'add', 'ci', '--tool', 'weather', '--tokens', tokens]);
  const up = startCli([
    'up',
    '--no-inspector',
    '--config',
    config,
    '--http',
    '0',
    '--tokens',
    tokens,
    '--tools',
    'search',
  ]);
  const ended = once(up, 'close');
  onTestFinished(async () => {
    up.kill('SIGTERM');
    await ended;
  });
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  await until('it serves', () => /MCP over HTTP at (\S+)/.test(log));
  const [, url] = /MCP over HTTP at (\S+)/.exec(log)!;
  const requestInit = { headers: { authorization: `Bearer ${token.trim()}` } };
  const client = new Client({ name: 'official', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url!), { requestInit }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(3);
  const find = (query: string) => client.callTool({ name: 'find_tools', arguments: { query, limit: 20 } });
  expect(await find('weather typed greet')).toMatchObject({ content: [{ text: 'one__weather()' }] });
  const described = await client.callTool({ name: 'describe_tool', arguments: { names: ['one__greet'] } });
  expect(described).toMatchObject({ isError: true });
  const weather = await client.callTool({ name: 'call_tool', arguments: { name: 'one__weather' } });
  expect(weather).toMatchObject({ structuredContent: { degrees: 21.5 } });
  const greet = client.callTool({ name: 'call_tool', arguments: { name: 'one__greet', arguments: { name: 'Ada' } } });
  await expect(greet).rejects.toThrow();
});

test('connect --all --tools search relays the search', async () => {
  const config = writeConfig('search-connect.json', { one: everythingEntry });
  onTestFinished(() => runCli(['down', '--config', config]).then(() => undefined));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'connect', '--all', '--tools', 'search', '--config', config],
    env: cleanEnv as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'official', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('find_tools');
  const result = await client.callTool({
    name: 'call_tool',
    arguments: { name: 'one__greet', arguments: { name: 'Ada' } },
  });
  expect(result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
});
