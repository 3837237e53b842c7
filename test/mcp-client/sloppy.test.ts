// Servers with small errors: accepted if their meaning is unambiguous, with one warning for each error.

import { expect, test } from 'vitest';
import type { Warning } from '../../src/entry/client.ts';
import { Logged } from '../fixtures/mcp-client/logged.ts';

const serverInfo = { name: 'fixture', version: '1.0.0' };
const opened = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
const noTools = { tools: [] };

async function connectTo(answers: object) {
  const server = new Logged('sloppy', JSON.stringify(answers));
  const warnings: Warning[] = [];
  const client = await server.connect({ onWarning: (warning) => warnings.push(warning) });
  expect(client.warnings).toEqual(warnings);
  return { client, server, topics: () => warnings.map(({ topic }) => topic) };
}

for (const [what, initialize, topic, expected] of [
  ['no capabilities', { ...opened, capabilities: undefined }, 'capabilities-missing', { capabilities: {} }],
  ['no name', { ...opened, serverInfo: undefined }, 'server-info-missing', { info: { name: 'unknown' } }],
  ['half a name', { ...opened, serverInfo: { name: 'x' } }, 'server-info-incomplete', { info: { name: 'x' } }],
  ['no version', { ...opened, protocolVersion: undefined }, 'revision-missing', { revision: '2024-11-05' }],
  ['a draft version', { ...opened, protocolVersion: '2024-10-07' }, 'revision-draft', { revision: '2024-11-05' }],
] as const) {
  test(`accepts initialize answered with ${what}`, async () => {
    const { client, topics } = await connectTo({ initialize, 'tools/list': noTools });
    expect(client.server).toMatchObject(expected);
    expect(topics()).toEqual([topic]);
    expect(await client.listTools()).toEqual({ tools: [] });
  });
}

test.each([
  ['"false"', 'false', false],
  ['"true"', 'true', true],
  ['null', null, false],
])('accepts a tool result whose isError is %s', async (_, isError, expected) => {
  const { client, topics } = await connectTo({ 'tools/call': { content: [], isError } });
  expect((await client.callTool('x')).isError).toBe(expected);
  expect(topics()).toEqual(['is-error-type']);
});

for (const [what, content, topic, expected] of [
  ['text', 'hi', 'content-text', [{ type: 'text', text: 'hi' }]],
  ['nothing', undefined, 'content-missing', []],
  ['null', null, 'content-missing', []],
  ['one block', { type: 'text', text: 'hi' }, 'content-single', [{ type: 'text', text: 'hi' }]],
  ['a list of texts', ['hi'], 'content-not-blocks', [{ type: 'text', text: 'hi' }]],
  ['a block of an unknown type', [{ type: 'txt', text: 'hi' }], 'content-unknown', [{ type: 'txt', text: 'hi' }]],
  ['an image without data', [{ type: 'image' }], 'content-unknown', [{ type: 'image' }]],
] as const) {
  test(`accepts a tool result whose content is ${what}`, async () => {
    const { client, topics } = await connectTo({ 'tools/call': { content, isError: false } });
    expect((await client.callTool('x')).content).toEqual(expected);
    await client.callTool('x');
    expect(topics()).toEqual([topic]);
  });
}

test('accepts ids that are returned as strings, with one warning', async () => {
  const { client, topics } = await connectTo({ textIds: true, 'tools/list': noTools });
  expect(client.server.info).toEqual(serverInfo);
  expect(await client.listTools()).toEqual(noTools);
  expect(topics()).toEqual(['text-id']);
  expect(client.warnings[0]?.message).toContain('"1" for 1');
});

test('reports the reason if a message is invalid', async () => {
  const { client, topics } = await connectTo({
    'tools/call': { content: 42 },
    'tools/list': { tools: {} },
    'resources/read': {},
    'prompts/get': { messages: 'hello' },
    'prompts/list': null,
  });
  for (const [call, words] of [
    [client.callTool('x'), 'The content of a tool result is a number instead of a list'],
    [client.listTools(), '"tools" of the list is an object instead of a list'],
    [client.readResource('x'), '"contents" in the result of resources/read is missing instead of a list'],
    [client.getPrompt('x'), '"messages" in the result of prompts/get is a string instead of a list'],
    [client.request('prompts/list'), 'The result of prompts/list is null instead of an object'],
  ] as const) {
    await expect(call).rejects.toMatchObject({ code: 'RESULT_INVALID', message: words });
  }
  expect(topics()).toEqual([]);
});

test('omits tools without a schema or without a name', async () => {
  const { client, topics } = await connectTo({
    'tools/list': { tools: [{ name: 'a' }, { name: 'b' }, { description: 'nameless' }, null, 'c'] },
  });
  expect((await client.listTools()).tools).toEqual([
    { name: 'a', inputSchema: { type: 'object' } },
    { name: 'b', inputSchema: { type: 'object' } },
  ]);
  expect(topics()).toEqual(['entry-unusable', 'input-schema-missing']);
});

test('reads lists to the last page, whatever the cursors are', async () => {
  const page = (name: string, nextCursor?: unknown) => ({ tools: [{ name, inputSchema: {} }], nextCursor });
  const names = async (answers: object) => {
    const { client, topics } = await connectTo(answers);
    return [...(await client.listTools()).tools.map(({ name }) => name), ...topics()];
  };
  const pages = [{ page: page('a', '1') }, { cursor: '1', page: page('b', '2') }, { cursor: '2', page: page('c') }];
  expect(await names({ 'tools/list': pages })).toEqual(['a', 'b', 'c']);
  expect(await names({ 'tools/list': [{ page: page('a', null) }] })).toEqual(['a', 'cursor-empty']);
  expect(await names({ 'tools/list': [{ page: page('a', '') }] })).toEqual(['a', 'cursor-empty']);
  const circle = [{ page: page('a', '1') }, { cursor: '1', page: page('b', '1') }];
  expect(await names({ 'tools/list': circle })).toEqual(['a', 'b', 'cursor-repeated']);
  await expect(names({ 'tools/list': [{ page: page('a', 1) }] })).rejects.toMatchObject({ code: 'RESULT_INVALID' });
});

test('stops reading lists that never end', async () => {
  const page = { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'x' };
  const answers = JSON.stringify({ 'tools/list': [{ page }, { cursor: 'x', page }] });
  const byPages = await new Logged('sloppy', answers).connect({ maxPages: 1 });
  await expect(byPages.listTools()).rejects.toMatchObject({
    code: 'LIST_TOO_LONG',
    hint: expect.stringContaining('maxPages'),
  });
  const byItems = await new Logged('sloppy', answers).connect({ maxItems: 1 });
  await expect(byItems.listTools()).rejects.toMatchObject({
    code: 'LIST_TOO_LONG',
    hint: expect.stringContaining('maxItems'),
  });
});

test('sends requests to a server that declares nothing, but only declared ones to a server that declares a capability', async () => {
  const tools = { tools: [{ name: 'a', inputSchema: { type: 'object' } }] };
  const careless = await connectTo({ initialize: { ...opened, capabilities: {} }, 'tools/list': tools });
  expect(await careless.client.listTools()).toEqual(tools);
  expect(await careless.client.listPrompts()).toEqual({ prompts: [] });
  const careful = await connectTo({ initialize: opened, 'tools/list': tools });
  expect(await careful.client.listPrompts()).toEqual({ prompts: [] });
  expect(careful.server.methods).not.toContain('prompts/list');
});

test('a refused ping shows that the server is alive', async () => {
  const { client, topics } = await connectTo({});
  await client.ping();
  expect(topics()).toEqual(['ping-refused']);
});

test('warns once about an invalid output schema, which checks nothing, and about a missing structured result', async () => {
  const tool = { name: 'a', inputSchema: { type: 'object' } };
  const broken = await connectTo({
    'tools/list': { tools: [{ ...tool, outputSchema: { type: 'no such type' } }] },
    'tools/call': { content: [], structuredContent: { a: 1 } },
  });
  await broken.client.listTools();
  expect(await broken.client.callTool('a')).toMatchObject({ structuredContent: { a: 1 } });
  await broken.client.callTool('a');
  expect(broken.topics()).toEqual(['output-schema-unusable']);
  const outputSchema = { type: 'object', required: ['a'] };
  const absent = await connectTo({
    'tools/list': { tools: [{ ...tool, outputSchema }] },
    'tools/call': { content: [] },
  });
  await absent.client.listTools();
  await absent.client.callTool('a');
  expect(absent.topics()).toEqual(['structured-content-missing']);
  const failing = await connectTo({
    'tools/list': { tools: [{ ...tool, outputSchema }] },
    'tools/call': { content: [], structuredContent: {}, isError: true },
  });
  await failing.client.listTools();
  expect(await failing.client.callTool('a')).toMatchObject({ isError: true });
  expect(failing.topics()).toEqual([]);
});

test('stops validation with an output schema that takes too long, warns once, and does not try it again', async () => {
  const tool = { name: 'a', inputSchema: { type: 'object' } };
  // Each of these takes practically forever: a pattern, and references that are followed 2 ** 60 times.
  const steps = Array.from({ length: 60 }, (_, n) => [
    `d${n + 1}`,
    { anyOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] },
  ]);
  const slow = [
    { properties: { a: { pattern: '^(a+)+$' } } },
    { $defs: { d0: { required: ['b'] }, ...Object.fromEntries(steps) }, $ref: '#/$defs/d60' },
  ];
  for (const outputSchema of slow) {
    const { client, topics } = await connectTo({
      'tools/list': { tools: [{ ...tool, outputSchema: { type: 'object', ...outputSchema } }] },
      'tools/call': { content: [], structuredContent: { a: `${'a'.repeat(60)}!` } },
    });
    await client.listTools();
    expect(await client.callTool('a')).toMatchObject({ structuredContent: {} });
    await client.callTool('a');
    expect(topics()).toEqual(['output-schema-unusable']);
    expect(client.warnings[0]!.message).toContain('it takes longer than 1 s');
  }
});
