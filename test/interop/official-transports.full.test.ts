// Our transports work under the official SDK unchanged, and our peer works over the official transports.

import { fileURLToPath } from 'node:url';
import { Client, type Transport as OfficialTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as OfficialClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Channel } from '../../src/wire/jsonrpc/channel.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { StdioClientTransport } from '../../src/wire/transport/stdio-client.ts';
import type { StdioServerTransport } from '../../src/wire/transport/stdio-server.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { closing, fixture, until } from '../fixtures/server.ts';

const officialServer = fileURLToPath(new URL('../fixtures/official/server.mjs', import.meta.url));
const officialServerOnOurs = fileURLToPath(
  new URL('../fixtures/official/server-on-our-transport.mjs', import.meta.url),
);
const node = process.execPath;

test('our transports match the official Transport type, and the official ones match our channel type', () => {
  expectTypeOf<StdioClientTransport>().toExtend<OfficialTransport>();
  expectTypeOf<StdioServerTransport>().toExtend<OfficialTransport>();
  expectTypeOf<OfficialTransport>().toExtend<Channel>();
});

async function useAsClient(transport: OfficialTransport): Promise<void> {
  const client = closing(new Client({ name: 'test', version: '1.0.0' }));
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(['echo', 'fail', 'finish', 'count']);
  const text = 'grüße 🙂 '.repeat(20_000);
  // The official transports add a listener for each queued message, and Node.js warns of more than ten.
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => client.callTool({ name: 'echo', arguments: { text: `${n} ${text}` } })),
  );
  expect(answers.map((answer) => answer.content)).toEqual(
    answers.map((_, n) => [{ type: 'text', text: `${n} ${text}` }]),
  );
  expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
  const progress: number[] = [];
  const counting = client.callTool(
    { name: 'count', arguments: { to: 3 } },
    { onprogress: (step) => progress.push(step.progress) },
  );
  await until('all progress arrives', () => progress.length === 3);
  await client.callTool({ name: 'finish', arguments: {} });
  await counting;
  expect(progress).toEqual([1, 2, 3]);
  await expect(
    client.callTool({ name: 'echo', arguments: { text: 'x' } }, { signal: AbortSignal.abort() }),
  ).rejects.toThrow();
  await client.close();
}

test('the official Client over our client transport, official server', async () => {
  await useAsClient(new StdioClientTransport({ command: node, args: [officialServer] }));
});

test('the official Client over our client transport, official McpServer over our server transport', async () => {
  await useAsClient(new StdioClientTransport({ command: node, args: [officialServerOnOurs] }));
});

test('the official Client over the official transport, official McpServer over our server transport', async () => {
  await useAsClient(new OfficialClientTransport({ command: node, args: [officialServerOnOurs] }));
});

test('the official Client and McpServer over our memory pair', async () => {
  const [near, far] = memoryPair();
  const server = new McpServer({ name: 'memory', version: '1.0.0' });
  server.registerTool('hello', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}!` }],
  }));
  const client = closing(new Client({ name: 'test', version: '1.0.0' }));
  await Promise.all([server.connect(far), client.connect(near)]);
  expect(await client.callTool({ name: 'hello', arguments: { name: 'World' } })).toMatchObject({
    content: [{ type: 'text', text: 'Hello, World!' }],
  });
});

test('our peer over the official client transport, our server at the other end', async () => {
  const transport = new OfficialClientTransport({ command: node, args: [fixture('peer-server')] });
  const peer = closing(new Peer(transport));
  await peer.start();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => peer.request('echo', { n })));
  expect(answers).toEqual(answers.map((_, n) => ({ n })));
  await expect(peer.request('nope')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
});

test('our peer over the official client transport, official server at the other end', async () => {
  const transport = new OfficialClientTransport({ command: node, args: [officialServer] });
  const peer = closing(new Peer(transport));
  await peer.start();
  await peer.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'peer', version: '1' },
  });
  await peer.notify('notifications/initialized');
  expect(await peer.request('tools/call', { name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
    content: [{ type: 'text', text: 'hi' }],
  });
});

test('our peer over our client transport against our peer over the official server transport', async () => {
  const server = fileURLToPath(new URL('../fixtures/official/peer-on-official-transport.mjs', import.meta.url));
  const peer = closing(new Peer(new StdioClientTransport({ command: node, args: [server] })));
  await peer.start();
  expect(await peer.request('echo', { text: '✓' })).toEqual({ text: '✓' });
});
