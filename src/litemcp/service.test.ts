import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { LiteMcpClientOptions } from './client.ts';
import { calculator, gate, mcpClientOfLite, mcpClientOver, rawServerOf } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';

const message = (id: number, type: string, data: object) =>
  `${JSON.stringify({ version: [1, 0, 0], id, type, data })}\n\n\n`;
const echoTool = { name: 'Echo', parameters: [{ name: 'text', type: 'string' }] };
const resultOf = (id: number, text: string) =>
  message(id, 'result', { params: {}, response: { content: [{ type: 'string', data: text }], error: false } });

/** An MCP client of a LiteMCP server whose messages the test writes. */
async function opened(options: LiteMcpClientOptions = {}, tool: object = echoTool) {
  const { raw, client: lite } = await rawServerOf(options);
  const opening = mcpClientOver(lite);
  const { id, type } = await raw.nextJson();
  expect(type).toBe('get');
  raw.write(message(id as number, 'info', tool));
  return { raw, lite, client: await opening };
}

test('a LiteMCP server is an MCP server with one tool', async () => {
  const { client } = await mcpClientOfLite(calculator());
  expect(client.server).toMatchObject({
    info: { name: 'Calculator', version: '1.0.0', description: 'A simple calculator' },
    capabilities: { tools: {} },
    revision: '2026-07-28',
  });
  expect((await client.listTools()).tools).toMatchObject([{ name: 'Calculator' }]);
  expect(await client.callTool('Calculator', { a: 2, b: 3 })).toEqual({
    content: [{ type: 'text', text: '5', _meta: { 'litemcp/type': 'number' } }],
    structuredContent: 5,
  });
  expect(client.warnings).toEqual([]);
  await client.close();
});

test('methods that LiteMCP lacks are not found', async () => {
  const { client } = await mcpClientOfLite(calculator());
  expect(await client.listResources()).toEqual({ resources: [] });
  expect(await client.listPrompts()).toEqual({ prompts: [] });
  await client.ping();
  await expect(client.readResource('file:///x')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await expect(client.callTool('Other')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

test('requests the tool again for each list', async () => {
  const { client, raw } = await opened();
  const listing = client.listTools();
  const { id } = await raw.nextJson();
  raw.write(message(id as number, 'info', { name: 'Echo2' }));
  expect((await listing).tools).toMatchObject([{ name: 'Echo2' }]);
});

describe('a call', () => {
  test('is the positional call of LiteMCP, with strings as arguments', async () => {
    const { client, raw } = await opened({}, { ...echoTool, name: '回声' });
    const call = client.callTool('tool', { text: 5 });
    const asked = await raw.nextJson();
    expect(asked).toMatchObject({ type: 'call', data: { tool: '回声', arguments: ['5'] } });
    raw.write(resultOf(asked.id as number, '\n\n\n5'));
    expect(await call).toEqual({ content: [{ type: 'text', text: '\n\n\n5' }] });
  });
  test('a call with invalid arguments is a tool error, and nothing is sent', async () => {
    const { client, raw } = await opened();
    expect(await client.callTool('Echo', { txt: 'x' })).toMatchObject({
      content: [{ text: expect.stringMatching(/^Invalid arguments for tool Echo: .*missing: "text"; unknown: "txt"/) }],
      isError: true,
    });
    expect(raw.unread).toBe('');
  });
  test('may be answered after others, and between stray output', async () => {
    const { client, raw, lite } = await opened();
    const calls = ['a', 'b'].map((text) => client.callTool('Echo', { text }));
    const ids = [(await raw.nextJson()).id, (await raw.nextJson()).id] as number[];
    raw.write(`loading…\n${resultOf(ids[1]!, 'B')}${resultOf(ids[0]!, 'A')}`);
    expect(await Promise.all(calls)).toMatchObject([{ content: [{ text: 'A' }] }, { content: [{ text: 'B' }] }]);
    expect(lite.noiseCount).toBe(1);
    expect(lite.evidence()).toMatchObject({ firstNoise: 'loading…' });
  });
  test('a cancelled call sends nothing, and its late answer is ignored', async () => {
    const { client, raw } = await opened();
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    const abort = new AbortController();
    const call = client.callTool('Echo', { text: 'x' }, { signal: abort.signal });
    const { id } = await raw.nextJson();
    abort.abort(new Error('not wanted any more'));
    await expect(call).rejects.toThrow('not wanted any more');
    raw.write(resultOf(id as number, 'late'));
    const next = client.callTool('Echo', { text: 'y' });
    const asked = await raw.nextJson();
    expect(asked).toMatchObject({ data: { arguments: ['y'] } });
    raw.write(resultOf(asked.id as number, 'Y'));
    expect(await next).toMatchObject({ content: [{ text: 'Y' }] });
    expect(errors).toEqual([]);
  });
  test('a call that is not answered in time fails with REQUEST_TIMEOUT', async () => {
    const { client } = await opened({ timeoutMs: 20 });
    await expect(client.callTool('Echo', { text: 'x' })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });
  test('has the total time limit of its caller', async () => {
    const { client } = await opened();
    await expect(client.callTool('Echo', { text: 'x' }, { totalTimeoutMs: 20 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'call was not answered within 20 ms in total',
    });
  });
  test('a call whose arguments are not an object is refused, and nothing is sent', async () => {
    const { client, raw } = await opened();
    const params = { name: 'Echo', arguments: ['x'] };
    await expect(client.request('tools/call', params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(raw.unread).toBe('');
  });
  test.each([
    ['no result', { response: 5 }, 'data.params must be an object'],
    ['another answer', undefined, 'it is of type "info"'],
  ])('whose answer is %s fails alone', async (_what, data, problem) => {
    const { client, raw } = await opened();
    const call = client.callTool('Echo', { text: 'x' });
    const { id } = await raw.nextJson();
    raw.write(data ? message(id as number, 'result', data) : message(id as number, 'info', echoTool));
    await expect(call).rejects.toMatchObject({ code: 'MESSAGE_INVALID', message: expect.stringContaining(problem) });
    const next = client.callTool('Echo', { text: 'y' });
    raw.write(resultOf((await raw.nextJson()).id as number, 'Y'));
    expect(await next).toMatchObject({ content: [{ text: 'Y' }] });
  });
});

describe('the end of the server', () => {
  test('fails sent calls with an unknown outcome, and unsent calls as not sent', async () => {
    const { client, raw } = await opened();
    const call = client.callTool('Echo', { text: 'x' });
    await raw.next();
    raw.stream.end();
    await expect(call).rejects.toMatchObject({ name: 'PeerError', code: 'OUTCOME_UNKNOWN' });
    await client.closed;
    await expect(client.callTool('Echo', { text: 'y' })).rejects.toMatchObject({ code: 'NOT_SENT' });
  });
  test('reports a call that waits for a full pipe as never sent', async () => {
    const { client, raw } = await opened();
    (raw.stream as Duplex).pause();
    const first = client.callTool('Echo', { text: 'x'.repeat(4 * 1024 * 1024) });
    await new Promise((resolve) => setImmediate(resolve));
    const second = client.callTool('Echo', { text: 'y' });
    raw.stream.end();
    await expect(first).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await expect(second).rejects.toMatchObject({ code: 'NOT_SENT' });
  });
  test('a call whose connection we close fails with CONNECTION_CLOSED', async () => {
    const started = gate();
    const slow = new LiteMcpServer({ name: 'Slow' }, () => {
      started.open();
      return new Promise(() => undefined);
    });
    const { client, connection } = await mcpClientOfLite(slow);
    const call = client.callTool('Slow');
    await started.opened;
    const closing = client.close();
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await closing;
    await connection.closed;
  });
});

describe('a server that cannot be opened', () => {
  test('because it answers with an error, reports the text of the error', async () => {
    const { raw, client } = await rawServerOf();
    const opening = mcpClientOver(client);
    const { id } = await raw.nextJson();
    const response = { content: [{ type: 'string', data: 'not today' }], error: true };
    raw.write(message(id as number, 'result', { params: {}, response }));
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('the server refused: not today') });
  });
  test('because its tool is invalid', async () => {
    const { raw, client } = await rawServerOf();
    const opening = mcpClientOver(client);
    const { id } = await raw.nextJson();
    raw.write(message(id as number, 'info', { name: '' }));
    await expect(opening).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
      message: expect.stringContaining('data.name must not be empty'),
    });
  });
});
