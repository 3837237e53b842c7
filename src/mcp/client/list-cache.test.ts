import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ListCache } from './list-cache.ts';

/** A fetch that the test answers. */
function deferred() {
  let answer!: (items: number[], ttlMs?: number) => void;
  const fetched = new Promise<{ items: number[]; ttlMs: number }>((resolve) => {
    answer = (items, ttlMs = 1000) => resolve({ items, ttlMs });
  });
  return { fetch: () => fetched, answer };
}

test('a list that changed while it was fetched is handed out and not kept', async () => {
  const cache = new ListCache<number>(new ManualClock());
  const { fetch, answer } = deferred();
  const fetching = cache.fetch(fetch, true);
  cache.invalidate();
  answer([1]);
  expect(await fetching).toEqual([1]);
  expect(cache.fresh).toBeUndefined();
});

test('who asks after a change does not get what was asked before it', async () => {
  const cache = new ListCache<number>(new ManualClock());
  const before = deferred();
  const after = deferred();
  const old = cache.fetch(before.fetch, true);
  cache.invalidate();
  const fresh = cache.fetch(after.fetch, true);
  after.answer([2]);
  expect(await fresh).toEqual([2]);
  before.answer([1]);
  expect(await old).toEqual([1]);
  expect(cache.fresh).toEqual([2]);
});

test('those who ask at the same time share an answer, and a failure is not kept', async () => {
  const cache = new ListCache<number>(new ManualClock());
  let asked = 0;
  const fail = async () => {
    asked++;
    throw new Error('not now');
  };
  const both = await Promise.allSettled([cache.fetch(fail, true), cache.fetch(fail, true)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
  await expect(cache.fetch(fail, true)).rejects.toThrow();
  expect(asked).toBe(2);
});

test('freshness ends on time', async () => {
  const clock = new ManualClock();
  const cache = new ListCache<number>(clock);
  await cache.fetch(async () => ({ items: [1], ttlMs: 10 }), false);
  clock.advance(9);
  expect(cache.fresh).toEqual([1]);
  clock.advance(1);
  expect(cache.fresh).toBeUndefined();
  await cache.fetch(async () => ({ items: [2], ttlMs: 0 }), false);
  expect(cache.fresh).toBeUndefined();
});
