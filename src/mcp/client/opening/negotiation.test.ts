// Tests the order of answers, which a real process does not produce reliably: the test writes every line of the server.

import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { JsonRpcRequest } from '../../../wire/jsonrpc/message.ts';
import { memoryPair } from '../../../wire/transport/stream-transport.ts';
import type { ClientOptions } from '../options.ts';
import { openClient } from './open-client.ts';

const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' };
const initialized = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };

async function start(options: ClientOptions = {}, hasPerRequestStream = false) {
  const [near, far] = memoryPair();
  Object.assign(near, { hasPerRequestStream });
  const clock = new ManualClock();
  const received: JsonRpcRequest[] = [];
  let arrived: (() => void) | undefined;
  far.onmessage = (message) => {
    received.push(message as unknown as JsonRpcRequest);
    arrived?.();
  };
  await far.start();
  const target = { open: () => near, canReopen: false, key: undefined };
  const connecting = openClient(target, { clock, ...options });
  connecting.catch(() => undefined); // the test checks the promise later
  return {
    clock,
    connecting,
    received,
    close: () => far.close(),
    /** Resolves with the n-th message that the client sent. */
    async message(n: number): Promise<JsonRpcRequest> {
      while (received.length <= n) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return received[n]!;
    },
    answer: ({ id }: JsonRpcRequest, result: object) => far.send({ jsonrpc: '2.0', id, result: { ...result } }),
    batch: (data: string[]) =>
      far.sendBatch(
        data.map((each) => ({
          jsonrpc: '2.0' as const,
          method: 'notifications/message',
          params: { level: 'info', data: each },
        })),
      ),
    refuse: ({ id }: JsonRpcRequest, code: number, data?: object) =>
      far.send({ jsonrpc: '2.0', id, error: { code, message: 'no', data } }),
  };
}

/** Advances the clock until both requests have been sent. */
async function silentFor(server: Awaited<ReturnType<typeof start>>) {
  const probe = await server.message(0);
  server.clock.advance(1500);
  const opening = await server.message(1);
  expect([probe.method, opening.method]).toEqual(['server/discover', 'initialize']);
  return { probe, opening };
}

test('silence, then the answer to initialize: legacy, and the late answer to the probe is ignored', async () => {
  const server = await start();
  const { probe, opening } = await silentFor(server);
  await server.answer(opening, initialized);
  const client = await server.connecting;
  expect(client.server.era).toBe('legacy');
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await server.answer(probe, discovered);
  await server.message(2);
  expect(server.received.map(({ method }) => method)).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
  ]);
  expect(errors).toEqual([]);
  await client.close();
});

test('silence, a late error for the probe, then the answer to initialize: legacy', async () => {
  const server = await start();
  const { probe, opening } = await silentFor(server);
  await server.refuse(probe, -32601);
  await server.answer(opening, initialized);
  expect((await server.connecting).server.era).toBe('legacy');
});

test('silence, then initialize refused before the probe is answered: modern', async () => {
  const server = await start();
  const { probe, opening } = await silentFor(server);
  await server.refuse(opening, -32022, { supported: ['2026-07-28'] });
  await server.answer(probe, discovered);
  expect((await server.connecting).server.era).toBe('modern');
});

test('silence, then initialize refused and no further answer: reports the refusal, after another wait', async () => {
  const server = await start();
  const { opening } = await silentFor(server);
  await server.refuse(opening, -32022, { supported: ['2031-01-01'] });
  const done = server.connecting.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([done, new Promise((resolve) => setImmediate(resolve, false))]))) {
    server.clock.advance(100);
  }
  await expect(server.connecting).rejects.toMatchObject({
    rpcCode: -32022,
    message: 'Could not connect: the server refused initialize: no',
  });
  expect(server.clock.nowMs()).toBeLessThan(10_000);
});

for (const [stateless, era] of [
  [true, 'modern'],
  [false, 'legacy'],
] as const) {
  test(`both answered by a server that serves eras ${stateless ? 'side by side' : 'one or the other'}: ${era}`, async () => {
    const server = await start();
    const { probe, opening } = await silentFor(server);
    await server.answer(probe, discovered);
    await server.answer(opening, initialized);
    const again = await server.message(2);
    expect(again.method).toBe('server/discover');
    if (stateless) await server.answer(again, discovered);
    else await server.refuse(again, -32601);
    expect((await server.connecting).server.era).toBe(era);
  });
}

test('a modern answer to the probe, and no answer to initialize: modern', async () => {
  const server = await start();
  const { probe } = await silentFor(server);
  await server.answer(probe, discovered);
  const connected = server.connecting.then(({ server: { era } }) => era);
  let era: unknown;
  while (!era) {
    era = await Promise.race([connected, new Promise((resolve) => setImmediate(resolve))]);
    server.clock.advance(100);
  }
  expect(era).toBe('modern');
});

test('over HTTP, a modern answer to the probe decides, whatever the answer to initialize is', async () => {
  const server = await start({}, true);
  const { probe } = await silentFor(server);
  await server.answer(probe, discovered);
  expect((await server.connecting).server.era).toBe('modern');
  expect(server.received).toHaveLength(2);
});

test('over HTTP, an answer to the probe just after that to initialize decides', async () => {
  const server = await start({}, true);
  const { probe, opening } = await silentFor(server);
  await server.answer(opening, initialized);
  await server.answer(probe, discovered);
  expect((await server.connecting).server.era).toBe('modern');
});

test('reports a result of server/discover without versions if initialize is refused', async () => {
  const server = await start();
  server.answer(await server.message(0), { supported_versions: ['2026-07-28'], capabilities: {} });
  server.refuse(await server.message(1), -32022, { supported: ['2026-07-28'] });
  await expect(server.connecting).rejects.toMatchObject({
    message: expect.stringContaining(
      'its answer to server/discover has no supportedVersions, but `supported_versions`, and it refused initialize: no',
    ),
    hint: expect.stringContaining('name this member `supportedVersions`'),
  });
});

test('the connection closes: the error names the step', async () => {
  const server = await start({ era: 'legacy' });
  await server.message(0);
  await server.close();
  await expect(server.connecting).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: expect.stringMatching(/^Could not connect \(initialize\)/),
  });
});

test('no answer at all: the start times out, and no cancellation is sent', async () => {
  const server = await start({ startupTimeoutMs: 5000 });
  await silentFor(server);
  server.clock.advance(5000);
  await expect(server.connecting).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message: 'Could not connect: no answer to initialize within 5000 ms',
  });
  expect(server.received.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
});

test('accepts batches once 2025-03-26 is negotiated', async () => {
  const server = await start({ era: 'legacy' });
  await server.answer(await server.message(0), { ...initialized, protocolVersion: '2025-03-26' });
  const client = await server.connecting;
  const logged: unknown[] = [];
  const both = new Promise<void>((resolve) => {
    client.onLog(({ data }) => logged.push(data) === 2 && resolve());
  });
  await server.batch(['one', 'two']);
  await both;
  expect(logged).toEqual(['one', 'two']);
});
