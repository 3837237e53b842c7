// Replays the transcript: a Python server that sends exactly its messages, and a client that sends them.

import { expect, test } from 'vitest';
import { Logged } from '../fixtures/mcp-client/logged.ts';
import { hasPython } from '../fixtures/python.ts';

const inputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const expectedTools = { tools: [{ name: 'hello_world', description: 'A simple greeting tool', inputSchema }] };

/** The messages of the transcript without their ids. */
const transcript = [
  {
    jsonrpc: '2.0',
    method: 'initialize',
    params: {
      client_info: { name: 'Cursor', version: '0.10.0' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
    },
  },
  { jsonrpc: '2.0', method: 'mcp/tools/list', params: {} },
  { jsonrpc: '2.0', method: 'mcp/tools/call', params: { name: 'hello_world', arguments: { name: 'World' } } },
];

test.skipIf(!hasPython)(
  'with `dialect: "transcript"`, the client sends exactly the messages of the transcript',
  async () => {
    const server = new Logged('speaks_the_transcript.py');
    server.target.stopWaits = { stdinMs: 60_000 };
    const client = await server.connect({ dialect: 'transcript', info: { name: 'Cursor', version: '0.10.0' } });
    expect(client.server).toEqual({
      era: 'legacy',
      revision: '2024-11-05',
      dialect: 'transcript',
      info: { name: 'example-server', version: '1.0.0' },
      capabilities: { tools: {} },
      instructions: undefined,
    });
    expect(await client.listTools()).toEqual(expectedTools);
    expect(await client.callTool('hello_world', { name: 'World' })).toEqual({
      content: [{ type: 'text', text: 'Hello, World!' }],
      isError: false,
    });
    expect(server.received.map(({ id: _, ...message }) => message)).toEqual(transcript);
    expect(await client.callTool('nope', {})).toEqual({
      content: [{ type: 'text', text: 'Unknown tool' }],
      isError: true,
    });
    await client.ping();
    await client.close();
    expect(client.transport.stopRung).toBe('stdin');
  },
);

test.skipIf(!hasPython)(
  'detects and remembers a server that refuses the standard initialize and accepts this one',
  async () => {
    const server = new Logged('speaks_the_transcript.py');
    const client = await server.connect({ info: { name: 'Cursor', version: '0.10.0' } });
    expect(client.server.dialect).toBe('transcript');
    expect(await client.listTools()).toEqual(expectedTools);
    expect(server.methods).toEqual(['server/discover', 'initialize', 'initialize', 'mcp/tools/list']);
    await client.close();
    const again = await server.connect();
    expect(await again.listTools()).toEqual(expectedTools);
    expect(server.methods.slice(4)).toEqual(['initialize', 'mcp/tools/list']);
    expect(server.spawns).toBe(2);
  },
);

test('detects a server that answers the standard initialize in the dialect', async () => {
  const server = new Logged(
    'sloppy',
    JSON.stringify({
      initialize: { server_info: { name: 'x', version: '2' }, capabilities: { tools: {} } },
      'mcp/tools/list': { tools: [{ name: 'a', parameters: { type: 'object' } }] },
      'mcp/tools/call': { content: 'done', is_error: true },
    }),
  );
  const client = await server.connect();
  expect(client.server).toMatchObject({ dialect: 'transcript', info: { name: 'x', version: '2' } });
  expect(await client.listTools()).toEqual({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
  expect(await client.callTool('a')).toEqual({ content: [{ type: 'text', text: 'done' }], isError: true });
  expect(server.methods).not.toContain('notifications/initialized');
  expect(client.warnings).toEqual([]);
});
