import { describe, expect, test } from 'vitest';
import type { RpcError } from '../base/errors.ts';
import { calculator, connected, gate, mcpClientOf, rawServerOf } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';
import { litemcpAsMcp } from './service.ts';

async function shown(server: LiteMcpServer) {
  const { client } = await connected(server);
  return litemcpAsMcp(client);
}
const echo = () =>
  new LiteMcpServer({ name: 'Echo!', parameters: [{ name: 'text', type: 'string' }] }, ({ text }) => text);

describe.each(['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'] as const)('for a client of %s', (revision) => {
  test('is a server with one tool', async () => {
    const client = await mcpClientOf(await shown(calculator()), { revision });
    expect(client.server).toMatchObject({ info: { name: 'Calculator', version: '1.0.0' }, revision });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: 'Calculator', inputSchema: { required: ['a', 'b'] } }]);
    await client.close();
  });
  test('a call has its result, and a structured value if the revision supports it', async () => {
    const client = await mcpClientOf(await shown(calculator()), { revision });
    const { content, structuredContent, isError } = await client.callTool('Calculator', { a: 2, b: '3' });
    expect(content).toMatchObject([{ type: 'text', text: '5' }]);
    expect(isError).toBeUndefined();
    const values = {
      '2026-07-28': 5,
      '2025-11-25': { result: 5 },
      '2025-06-18': { result: 5 },
      '2024-11-05': undefined,
    };
    expect(structuredContent).toEqual(values[revision]);
    await client.close();
  });
});

test('closing the server closes the connections of its clients, but not the LiteMCP client', async () => {
  const { client: lite } = await connected(echo());
  const server = await litemcpAsMcp(lite);
  const client = await mcpClientOf(server);
  await server[Symbol.asyncDispose]();
  await client.closed;
  expect((await lite.call(['x'])).response).toMatchObject({ content: [{ data: 'x' }] });
});

test('the title keeps a name that MCP does not allow', async () => {
  const client = await mcpClientOf(await shown(echo()));
  expect((await client.listTools()).tools).toMatchObject([{ name: 'Echo_', title: 'Echo!' }]);
  expect(await client.callTool('Echo_', { text: '\n\n\n😀' })).toMatchObject({ content: [{ text: '\n\n\n😀' }] });
});

test('an error that the tool reports is a tool error', async () => {
  const failing = new LiteMcpServer({ name: 'Print' }, () => {
    throw new Error('out of paper');
  });
  const client = await mcpClientOf(await shown(failing));
  expect(await client.callTool('Print')).toMatchObject({
    content: [{ type: 'text', text: 'out of paper' }],
    isError: true,
  });
});

test('invalid arguments are a tool error, and no call is sent', async () => {
  const client = await mcpClientOf(await shown(calculator()));
  expect(await client.callTool('Calculator', { a: 1 })).toMatchObject({
    content: [{ text: expect.stringContaining('missing: "b"') }],
    isError: true,
  });
  expect(await client.callTool('Calculator', { a: 'one', b: 2 })).toMatchObject({
    content: [{ text: 'The argument "a" does not fit: "one" is not a number' }],
    isError: true,
  });
});

test('many calls in flight get their own answers', async () => {
  const client = await mcpClientOf(await shown(echo()));
  const texts = Array.from({ length: 200 }, (_, n) => `text ${n}`);
  const results = await Promise.all(texts.map((text) => client.callTool('Echo_', { text })));
  expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(texts);
});

test('a client that cancels gets its error at once, and a later answer is dropped', async () => {
  const started = gate();
  const finish = gate<string>();
  const slow = new LiteMcpServer({ name: 'Slow' }, () => {
    started.open();
    return finish.opened;
  });
  const { client: lite } = await connected(slow);
  const client = await mcpClientOf(await litemcpAsMcp(lite));
  const abort = new AbortController();
  const call = client.callTool('Slow', {}, { signal: abort.signal });
  await started.opened;
  abort.abort(new Error('not wanted any more'));
  await expect(call).rejects.toThrow('not wanted any more');
  // Messages on one pipe stay in order: when a later request is answered, the cancellation has arrived.
  await client.ping();
  expect(lite.inFlight).toBe(0);
  finish.open('late');
  await expect(client.callTool('Slow')).resolves.toMatchObject({ content: [{ text: 'late' }] });
  expect(lite.lateAnswers).toBe(1);
});

describe('a lost server', () => {
  test('fails its calls with their error code instead of a tool error', async () => {
    const { raw, client: lite, wire } = await rawServerOf();
    const bridge = litemcpAsMcp(lite);
    await raw.next();
    raw.write('{"version":[1,0,0],"id":1,"type":"info","data":{"name":"Print"}}\n\n\n');
    const client = await mcpClientOf(await bridge);
    const call = client.callTool('Print').catch((error: RpcError) => error);
    await raw.next();
    raw.stream.end();
    expect(await call).toMatchObject({
      name: 'RpcError',
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('may have run'),
      data: { code: 'OUTCOME_UNKNOWN', hint: expect.any(String), evidence: { phase: 'running' } },
    });
    await expect(client.callTool('Print')).rejects.toMatchObject({ data: { code: 'NOT_SENT' } });
    await wire.close();
  });
  test('a server that is silent fails the call with REQUEST_TIMEOUT', async () => {
    const { raw, client: lite } = await rawServerOf({ timeoutMs: 20 });
    const bridge = litemcpAsMcp(lite);
    await raw.next();
    raw.write('{"version":[1,0,0],"id":1,"type":"info","data":{"name":"Print"}}\n\n\n');
    const client = await mcpClientOf(await bridge);
    await expect(client.callTool('Print')).rejects.toMatchObject({ data: { code: 'REQUEST_TIMEOUT' } });
  });
});
