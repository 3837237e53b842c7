// Every family of methods with real processes, in both eras, through the same calls; and early ends of calls.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { LogMessage, Progress } from '../../src/entry/client.ts';
import { Logged } from '../fixtures/mcp-client/logged.ts';
import { until } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';

const eras = ['legacy', 'modern'] as const;

for (const era of eras) {
  test(`${era}: calls each family of methods`, async () => {
    const server = new Logged(era);
    const client = await server.connect();
    expect(client.server).toMatchObject({ era, instructions: `be ${era}` });
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect((await client.callTool('hello', { name: 'World' })).content).toEqual([
      { type: 'text', text: 'Hello, World!' },
    ]);
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello, undefined!' }]);
    expect(await client.listResources()).toEqual({ resources: [{ uri: 'mem://a', name: 'a' }] });
    expect(await client.listResourceTemplates()).toEqual({
      resourceTemplates: [{ uriTemplate: 'mem://{x}', name: 'x' }],
    });
    expect((await client.readResource('mem://a')).contents).toEqual([{ uri: 'mem://a', text: 'text' }]);
    expect(await client.listPrompts()).toEqual({ prompts: [{ name: 'p' }] });
    expect((await client.getPrompt('p', { a: 'b' })).messages).toHaveLength(1);
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    expect(await client.complete(ref, { name: 'a', value: 'v' })).toEqual({ values: ['v', 'null'] });
    expect(await client.complete(ref, { name: 'a', value: 'v' }, { b: 'w' })).toEqual({
      values: ['v', '{"arguments":{"b":"w"}}'],
    });
    await client.ping();
    await expect(client.request('x/unknown')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    expect(await client.request('prompts/get', { name: 'q' })).toMatchObject({ messages: [{ role: 'user' }] });
    expect(client.warnings).toEqual([]);
    expect(server.spawns).toBe(1);
    await client.close();
    expect(await client.closed).toBeUndefined();
    await expect(client.callTool('hello')).rejects.toMatchObject({ code: 'NOT_SENT' });
  });

  test(`${era}: sends metadata with its call only`, async () => {
    const client = await new Logged(era).connect();
    const first = await client.callTool('meta', {}, { meta: { traceparent: '00-1' } });
    expect(first.structuredContent).toMatchObject({ traceparent: '00-1' });
    const second = await client.callTool('meta');
    expect(second.structuredContent).not.toHaveProperty('traceparent');
    const third = await client.request('tools/call', { name: 'meta', _meta: { baggage: 'x' } });
    expect(third.structuredContent).toMatchObject({ baggage: 'x' });
  });

  test(`${era}: delivers log messages of the requested level`, async () => {
    const client = await new Logged(era).connect();
    const logged: LogMessage[] = [];
    client.onLog(() => {
      throw new Error('a listener that fails does not keep the message from the others');
    });
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    const stop = client.onLog((message) => logged.push(message));
    await client.setLogLevel('warning');
    await client.callTool('log');
    expect(logged).toEqual([{ level: 'warning', data: 'logged' }]);
    expect(errors).toHaveLength(1);
    stop();
    await client.callTool('log');
    expect(logged).toHaveLength(1);
  });

  test(`${era}: a timeout and an abort send exactly one cancellation each, and the connection continues`, async () => {
    const server = new Logged(era);
    const client = await server.connect();
    await expect(client.callTool('never', {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    await expect(client.callTool('never', {}, { totalTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    const abort = new AbortController();
    const aborted = client.callTool('never', {}, { signal: abort.signal });
    await until('the call arrives', () => server.methods.filter((method) => method === 'tools/call').length === 3);
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await expect(client.callTool('never', {}, { signal: AbortSignal.abort() })).rejects.toThrow();
    await client.callTool('hello');
    const calls = server.received.filter(({ method }) => method === 'tools/call').map(({ id }) => id);
    const cancelled = server.received.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }) => params?.requestId)).toEqual(calls.slice(0, 3));
  });
}

test('modern: sets the log level of one call', async () => {
  const client = await new Logged('modern').connect();
  const logged: LogMessage[] = [];
  client.onLog((message) => logged.push(message));
  await client.callTool('log', {}, { logLevel: 'debug' });
  await client.callTool('log');
  expect(logged.map(({ level }) => level)).toEqual(['debug']);
  await client.setLogLevel('error');
  await client.callTool('log', {}, { logLevel: 'info' });
  await client.callTool('log');
  expect(logged.map(({ level }) => level)).toEqual(['debug', 'info', 'error']);
});

test('legacy: the log level of one call is ignored, with one warning', async () => {
  const client = await new Logged('legacy').connect();
  await client.callTool('log', {}, { logLevel: 'debug' });
  await client.callTool('log', {}, { logLevel: 'debug' });
  expect(client.warnings).toEqual([{ topic: 'log-level-ignored', message: expect.stringContaining('setLogLevel') }]);
});

test('modern: delivers progress', async () => {
  const client = await new Logged('modern').connect();
  const steps: Progress[] = [];
  await client.callTool('progress', {}, { onProgress: (step) => steps.push(step) });
  expect(steps.map(({ progress }) => progress)).toEqual([1, 2, 3]);
});

test('modern: does not answer requests of the server, and reports them once', async () => {
  const server = new Logged('modern');
  const client = await server.connect({ roots: [] });
  await client.callTool('asksByRequest');
  await client.callTool('asksByRequest');
  await client.callTool('hello');
  expect(server.received.filter(({ method }) => method === undefined)).toEqual([]);
  expect(client.warnings).toEqual([{ topic: 'request-ignored', message: expect.stringContaining('roots/list') }]);
});

test('modern: a result of an undeclared type is an error', async () => {
  const client = await new Logged('modern').connect({ extensions: [{ id: 'io.modelcontextprotocol/tasks' }] });
  await expect(client.callTool('strange')).rejects.toMatchObject({
    code: 'RESULT_INVALID',
    message: expect.stringContaining('"task"'),
  });
});

test('checks structured results against the schema of a listed tool', async () => {
  const server = new Logged('modern');
  const client = await server.connect();
  expect(await client.callTool('broken')).toMatchObject({ structuredContent: { sum: 'three' } });
  await client.listTools();
  expect(await client.callTool('sum')).toMatchObject({ structuredContent: { sum: 3 } });
  await expect(client.callTool('broken')).rejects.toMatchObject({
    code: 'RESULT_INVALID',
    message: expect.stringMatching(/"broken".*outputSchema.*sum must be number/),
  });
  const careless = await server.connect({ checkOutput: false });
  await careless.listTools();
  expect(await careless.callTool('broken')).toMatchObject({ structuredContent: { sum: 'three' } });
});

test('a server that exits fails its calls, and the reason is reported everywhere', async () => {
  const client = await new Logged('legacy').connect();
  const told: unknown[] = [];
  client.onclose = (cause) => told.push(cause);
  await expect(client.callTool('die')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', evidence: { exitCode: 7 } });
  expect(await client.closed).toMatchObject({ code: 'PROCESS_EXITED' });
  expect(told).toEqual([await client.closed]);
});

test.skipIf(lacks.signals).each(['legacy', 'modern', 'speaks_the_transcript.py'])(
  '%s: a server that answers is responsive, a suspended process is not',
  async (kind) => {
    const clock = new ManualClock();
    const client = await new Logged(kind).connect({ clock });
    expect(await client.isResponsive(1000)).toBe(true);
    process.kill(client.transport.pid!, 'SIGSTOP');
    const answered = client.isResponsive(1000);
    clock.advance(1000);
    expect(await answered).toBe(false);
    process.kill(client.transport.pid!, 'SIGKILL');
    expect(await client.isResponsive(1000)).toBe(false);
  },
);

test.skipIf(lacks.signals)('a server that waits for an answer is responsive, although it answers no ping', async () => {
  const clock = new ManualClock();
  const asked = { count: 0 };
  const client = await new Logged('legacy').connect({
    clock,
    elicit: () => {
      asked.count++;
      return new Promise(() => undefined);
    },
  });
  client.callTool('ask').catch(() => undefined); // ends with the connection
  await until('the question', () => asked.count === 1);
  process.kill(client.transport.pid!, 'SIGSTOP');
  const answered = client.isResponsive(1000);
  clock.advance(1000);
  expect(await answered).toBe(true);
  process.kill(client.transport.pid!, 'SIGCONT');
});
