// The behaviour that programs for the official StdioServerTransport rely on, especially those that pass their own
// streams. Intended differences are in docs/interop.md.

import { PassThrough, type Readable, Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonRpcMessage } from '../../src/wire/jsonrpc/message.ts';
import { StdioServerTransport } from '../../src/wire/transport/stdio-server.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { closing, until } from '../fixtures/server.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const line = (message: object) => `${JSON.stringify(message)}\n`;

function started(input: Readable = new PassThrough(), output: Writable = new PassThrough(), options = {}) {
  const transport = new StdioServerTransport(input, output, options);
  const events: string[] = [];
  const messages: JsonRpcMessage[] = [];
  transport.onerror = (error) => events.push(`error: ${error.message}`);
  transport.onclose = () => events.push('close');
  transport.onmessage = (message) => messages.push(message);
  return { transport, events, messages, input, output };
}

test('reads nothing before the start, and returns messages in order afterwards', async () => {
  const input = new PassThrough();
  const { transport, events, messages } = started(input);
  const second = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
  input.write(line(ping) + line(second));
  await new Promise(setImmediate);
  expect(messages).toEqual([]);
  await transport.start();
  await until('both have arrived', () => messages.length === 2);
  expect(messages).toEqual([ping, second]);
  await transport.close();
  expect(events).toEqual(['close']);
});

test('sends messages to the given stream, and other output still goes to stdout', async () => {
  const output = new PassThrough();
  const { transport } = started(new PassThrough(), output);
  const before = process.stdout;
  await transport.start();
  expect(process.stdout).toBe(before);
  await transport.send(ping);
  await transport.close();
  expect(output.read().toString()).toBe(line(ping));
});

test('close releases the streams: both stay open without our listeners', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const counts = () => [input, output].map((each) => each.eventNames().map((name) => [name, each.listenerCount(name)]));
  const before = counts();
  const { transport, messages } = started(input, output);
  await transport.start();
  await transport.send(ping);
  await transport.close();
  expect(counts()).toEqual(before);
  expect(input.isPaused()).toBe(true);
  expect([input.destroyed, output.writableEnded]).toEqual([false, false]);

  // A second transport over the same streams continues where the first stopped.
  const next = started(input, output);
  await next.transport.start();
  input.write(line(ping));
  await until('it has arrived', () => next.messages.length === 1);
  expect(messages).toEqual([]);
  await next.transport.close();
});

test('close does not pause an input with other readers', async () => {
  const input = new PassThrough();
  const { transport } = started(input);
  let text = '';
  input.on('data', (chunk) => {
    text += chunk;
  });
  await transport.start();
  await transport.close();
  input.write('more');
  await until('it has arrived', () => text === 'more');
});

test('a failing output causes an error and then one close', async () => {
  const { transport, events, output } = started();
  await transport.start();
  output.emit('error', new Error('EPIPE'));
  await until('it is closed', () => events.includes('close'));
  await transport.close();
  expect(events).toEqual([expect.stringContaining('EPIPE'), 'close']);
  await expect(transport.send(ping)).rejects.toThrow(/EPIPE/);
});

test('rejects messages after close', async () => {
  const { transport } = started();
  await transport.start();
  await transport.close();
  await expect(transport.send(ping)).rejects.toThrow(/closed/);
});

test('rejects queued messages if the output fails', async () => {
  let fail: ((error: Error) => void) | undefined;
  const output = new Writable({
    highWaterMark: 0,
    write(_chunk, _encoding, done) {
      fail = done;
    },
  });
  const { transport, events } = started(new PassThrough(), output);
  await transport.start();
  await transport.send(ping);
  await until('the first is being written', () => fail !== undefined);
  const second = transport.send({ ...ping, id: 2 });
  fail!(new Error('write EPIPE'));
  await expect(second).rejects.toThrow(/EPIPE/);
  await until('it is closed', () => events.includes('close'));
});

test('maxBufferSize limits the size of a message, and the next one is read', async () => {
  const input = new PassThrough();
  const { transport, events, messages } = started(input, new PassThrough(), { maxBufferSize: 100 });
  await transport.start();
  input.write(line({ ...ping, method: 'm'.repeat(200) }) + line(ping));
  await until('the next has arrived', () => messages.length === 1);
  expect(events).toEqual([expect.stringContaining('limit of 100 bytes')]);
  await transport.close();
});

test('the end or destruction of the input closes the connection, but does not end the process', async () => {
  for (const end of [(input: PassThrough) => input.end(line(ping)), (input: PassThrough) => input.destroy()]) {
    const input = new PassThrough();
    const { transport, events } = started(input);
    await transport.start();
    end(input);
    await until('it is closed', () => events.includes('close'));
  }
});

test('rejects a second start with "already started"', async () => {
  const { transport } = started();
  await transport.start();
  await expect(transport.start()).rejects.toThrow('StdioServerTransport already started');
  await transport.close();
});

test('an official McpServer on given streams serves the official client', async () => {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const server = new McpServer({ name: 'given', version: '1' });
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  await server.connect(closing(new StdioServerTransport(toServer, toClient)));
  const client = closing(new Client({ name: 'test', version: '1' }));
  await client.connect(new StreamTransport(toClient, toServer));
  expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
    content: [{ type: 'text', text: '3' }],
  });
  await client.close();
});

/** A transport that answers each `ping` when `answer` is called with its id. */
async function withBatches() {
  const { transport, input, output, messages, events } = started();
  await transport.start();
  transport.setProtocolVersion('2025-03-26');
  const answer = (id: string | number) => transport.send({ jsonrpc: '2.0', id, result: {} });
  const write = (batch: unknown[]) => (input as PassThrough).write(`${JSON.stringify(batch)}\n`);
  const lines = () =>
    String((output as PassThrough).read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text));
  return { transport, messages, events, answer, write, lines };
}

const request = (id: string | number) => ({ jsonrpc: '2.0', id, method: 'ping' });
const result = (id: string | number) => ({ jsonrpc: '2.0', id, result: {} });

test('answers a batch with one array, with errors for invalid entries', async () => {
  const { transport, messages, answer, write, lines } = await withBatches();
  write([request(1), 7, request('1')]);
  await until('both have arrived', () => messages.length === 2);
  await answer('1');
  await answer(9); // outside the batch
  await answer(1);
  await transport.close();
  const invalid = { jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } };
  expect(lines()).toEqual([result(9), [invalid, result('1'), result(1)]]);
});

test('a batch does not wait for a request that was cancelled, or whose answer cannot be written', async () => {
  const { transport, messages, answer, write, lines } = await withBatches();
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  write([request(1), request(2), request(3)]);
  write([cancel]);
  await until('all have arrived', () => messages.length === 4);
  await answer(1);
  await expect(transport.send({ jsonrpc: '2.0', id: 3, result: { big: 1n } })).rejects.toThrow(/BigInt/);
  await transport.close();
  expect(lines()).toEqual([[result(1)]]);
});

test('answers an empty batch with one error, and does not answer a batch of notifications', async () => {
  const { transport, messages, events, write, lines } = await withBatches();
  write([]);
  write([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
  await until('the notification has arrived', () => messages.length === 1);
  await transport.close();
  expect(lines()).toEqual([{ jsonrpc: '2.0', error: { code: -32600, message: 'A JSON-RPC batch must not be empty' } }]);
  expect(events[0]).toMatch(/must not be empty/);
});
