// The memory for incoming requests is limited in bytes as well as in number.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RpcCode } from '../../base/errors.ts';
import { Inbound } from './inbound.ts';
import { jsonSize } from './json-size.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './message.ts';
import { Peer } from './peer.ts';

function setup(options: { maxConcurrent?: number; maxQueued?: number; maxInboundBytes: number }) {
  const answers = new Map<unknown, JsonRpcResponse | undefined>();
  const ends = new Map<unknown, () => void>();
  const inbound = new Inbound({
    maxConcurrent: 1,
    maxQueued: 1000,
    ...options,
    answer: (request, answer) => answers.set(request.id, answer),
    onHandlerError: () => undefined,
  });
  inbound.handle('work', (_, { id }) => new Promise<object>((resolve) => ends.set(id, () => resolve({}))));
  inbound.handle('ping', () => ({}), { urgent: true });
  const work = (id: number, bytes?: number, params?: Record<string, unknown>): JsonRpcRequest => {
    const request: JsonRpcRequest = { jsonrpc: '2.0', id, method: 'work', params };
    inbound.accept(request, bytes);
    return request;
  };
  const end = async (id: number) => {
    ends.get(id)!();
    ends.delete(id);
    await settled();
  };
  const isRefused = (id: number) => {
    const answer = answers.get(id);
    return answer !== undefined && 'error' in answer && answer.error.code === RpcCode.serverBusy;
  };
  return { inbound, answers, ends, work, end, isRefused };
}

/** Resolves after the promise of a handler and the callbacks chained to it. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('running and queued requests', () => {
  test('are refused above the byte limit, with the numbers in the error', () => {
    const { work, isRefused, answers } = setup({ maxInboundBytes: 1000 });
    for (const id of [1, 2, 3]) work(id, 400);
    expect([1, 2, 3].map(isRefused)).toEqual([false, false, true]);
    expect(answers.get(3)).toMatchObject({
      error: {
        message:
          'Too many request bytes: pending requests have 800, this one has 400, and the limit is 1000; send it again later',
        data: { maxInboundBytes: 1000 },
      },
    });
    work(4, 200);
    expect(isRefused(4)).toBe(false);
  });

  test('are accepted again after one has ended, or was cancelled in the queue', async () => {
    const { inbound, work, end, isRefused } = setup({ maxInboundBytes: 1000 });
    work(1, 500);
    work(2, 500);
    inbound.cancel(2, 'no longer');
    work(3, 500);
    work(4, 1);
    expect([3, 4].map(isRefused)).toEqual([false, true]);
    await end(1);
    work(5, 500);
    expect(isRefused(5)).toBe(false);
  });

  test('count until their handler has ended, cancelled or not', async () => {
    const { inbound, work, end, isRefused } = setup({ maxInboundBytes: 1000 });
    work(1, 900);
    inbound.cancel(1, 'no longer');
    work(2, 900);
    expect(isRefused(2)).toBe(true);
    await end(1);
    work(3, 900);
    expect(isRefused(3)).toBe(false);
  });

  test('accept a single request of any length, and ping at any time', () => {
    const { inbound, work, isRefused, answers } = setup({ maxInboundBytes: 1000 });
    work(1, 50_000);
    expect(isRefused(1)).toBe(false);
    inbound.accept({ jsonrpc: '2.0', id: 'p', method: 'ping' }, 40);
    expect(answers.get('p')).toMatchObject({ result: {} });
  });

  test('requests of unknown length are measured when they are queued', () => {
    const { work, isRefused } = setup({ maxInboundBytes: 1000 });
    work(1);
    for (const id of [2, 3, 4]) work(id, undefined, { text: 'x'.repeat(400) });
    expect([2, 3, 4].map(isRefused)).toEqual([false, false, true]);
  });

  test('are counted exactly for any sequence of events', async () => {
    const step = fc.oneof(
      fc.record({ bytes: fc.integer({ min: 1, max: 700 }) }),
      fc.record({ cancel: fc.nat(30) }),
      fc.record({ end: fc.nat(30) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, maxConcurrent) => {
          const { inbound, work, end, ends, isRefused } = setup({ maxConcurrent, maxInboundBytes: 1000 });
          const held = new Map<number, number>();
          for (const [id, each] of steps.entries()) {
            const heldBytes = [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
            if ('bytes' in each) {
              work(id, each.bytes);
              expect(isRefused(id)).toBe(heldBytes > 0 && heldBytes + each.bytes > 1000);
              if (!isRefused(id)) held.set(id, each.bytes);
            } else if ('cancel' in each) {
              inbound.cancel(each.cancel, 'no longer');
              if (!ends.has(each.cancel)) held.delete(each.cancel);
            } else if (ends.has(each.end)) {
              await end(each.end);
              held.delete(each.end);
            }
          }
        },
      ),
    );
  });
});

test('the requests of a batch share the length of its frame', async () => {
  const sent: { id?: unknown; error?: { code: number } }[] = [];
  const channel = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: object) => void sent.push(message),
    onbatch: undefined as ((messages: JsonRpcRequest[], faults: [], frameBytes: number) => void) | undefined,
    onmessage: undefined as ((message: JsonRpcRequest, extra: undefined, frameBytes: number) => void) | undefined,
  };
  const peer = new Peer(channel as never, { maxInboundBytes: 1000 });
  peer.handle('work', () => new Promise(() => undefined));
  await peer.start();
  const request = (id: number): JsonRpcRequest => ({ jsonrpc: '2.0', id, method: 'work' });
  channel.onbatch!([request(1), request(2), request(3)], [], 900);
  expect([peer.serving, sent]).toEqual([3, []]);
  channel.onmessage!(request(4), undefined, 900);
  expect(sent).toMatchObject([{ id: 4, error: { code: RpcCode.serverBusy } }]);
});

describe('the size of a message', () => {
  test('approximates that of its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const real = JSON.stringify(value).length;
        expect(jsonSize(value, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(real / 8);
        expect(jsonSize(value, Number.MAX_SAFE_INTEGER)).toBeLessThan(real * 8 + 8);
      }),
    );
  });

  test('is computed for values nested 100,000 deep, and for circular ones', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(jsonSize(deep, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(200_000);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(jsonSize(circle, 5000)).toBeGreaterThanOrEqual(5000);
  });
});
