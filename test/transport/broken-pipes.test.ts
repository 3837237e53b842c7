// A child that exits or does not read must neither crash the host nor leave a request pending.

import { expect, test } from 'vitest';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { usually } from '../fixtures/repetitions.ts';
import { fixtureTransport, startFixture } from '../fixtures/server.ts';

/** Number of attempts for each point. */
const TIMES = usually(8, 1000);
const AT_A_TIME = 8;

test.each(['at-once', 'at-first-byte', 'after-first-message', 'after-answer', 'mid-answer'])(
  `a child that exits ${'%s'}: every request settles, without an uncaught error`,
  async (point) => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    process.on('unhandledRejection', onUncaught);
    let settled = 0;
    const once = async () => {
      const transport = fixtureTransport('exits-at', [point]);
      const peer = new Peer(transport);
      await peer.start();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 3 }, () => peer.request('m', { text: 'x'.repeat(1000) })),
      );
      settled += outcomes.length;
      await transport.close();
    };
    for (let n = 0; n < TIMES; n += AT_A_TIME) await Promise.all(Array.from({ length: AT_A_TIME }, once));
    process.off('uncaughtException', onUncaught);
    process.off('unhandledRejection', onUncaught);
    expect(settled).toBe(Math.ceil(TIMES / AT_A_TIME) * AT_A_TIME * 3);
    expect(uncaught).toEqual([]);
  },
  3_600_000,
);

test('10,000 sends to a child that does not read: one drain listener, and all settle when it exits', async () => {
  const transport = fixtureTransport('never-reads');
  await transport.start();
  const text = 'x'.repeat(1000);
  const outcomes: Promise<string>[] = [];
  for (let n = 0; n < 10_000; n++) {
    const sending = transport.send({ jsonrpc: '2.0', method: 'm', params: { n, text } });
    outcomes.push(
      sending.then(
        () => 'accepted',
        (error) => error.code,
      ),
    );
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  process.kill(transport.pid!, 'SIGKILL');
  const settled = await Promise.all(outcomes);
  expect(settled.filter((outcome) => outcome === 'accepted').length).toBeGreaterThan(0);
  expect(
    settled.filter((outcome) => outcome === 'PROCESS_EXITED' || outcome === 'STREAM_FAILED').length,
  ).toBeGreaterThan(5000);
  expect(new Set(settled).size).toBeLessThanOrEqual(3);
});

test('distinguishes requests that were never sent from those that were', async () => {
  const { peer, transport } = await startFixture('never-reads');
  const text = 'x'.repeat(1000);
  const outcomes: Promise<string>[] = [];
  for (let n = 0; n < 1000; n++) {
    outcomes.push(
      peer.request('m', { n, text }).then(
        () => 'answered',
        (error) => error.code,
      ),
    );
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  process.kill(transport.pid!, 'SIGKILL');
  const settled = await Promise.all(outcomes);
  const firstUnsent = settled.indexOf('NOT_SENT');
  expect(firstUnsent).toBeGreaterThan(0);
  expect(new Set(settled.slice(0, firstUnsent))).toEqual(new Set(['OUTCOME_UNKNOWN']));
  expect(new Set(settled.slice(firstUnsent))).toEqual(new Set(['NOT_SENT']));
});

test('limits the data that is queued for a child that does not read', async () => {
  const transport = fixtureTransport('never-reads', [], { maxQueuedChars: 1_000_000 });
  await transport.start();
  const outcomes: Promise<string>[] = [];
  for (let n = 0; n < 100; n++) {
    const sending = transport.send({ jsonrpc: '2.0', method: 'm', params: { text: 'x'.repeat(100_000) } });
    outcomes.push(
      sending.then(
        () => 'accepted',
        (error) => error.code,
      ),
    );
    await new Promise(setImmediate);
  }
  await transport.close();
  const settled = await Promise.all(outcomes);
  expect(settled.filter((outcome) => outcome === 'SEND_QUEUE_FULL').length).toBeGreaterThan(50);
  expect(settled.at(-1)).toBe('SEND_QUEUE_FULL');
});
