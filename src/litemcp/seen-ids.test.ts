import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenIds } from './server-connection.ts';

test('knows the newest consecutive ids without storing each of them', () => {
  const seen = new SeenIds(100);
  for (let id = 0; id < 2_000; id++) {
    expect(seen.add(id)).toBe(true);
    for (const recent of [id, id - 50, id - 99]) if (recent >= 0) expect(seen.has(recent)).toBe(true);
  }
  expect(seen.size).toBe(0);
  expect(seen.has(0)).toBe(false);
});

test('serves a client that restarts its ids in every round', () => {
  const seen = new SeenIds(100);
  for (let round = 0; round < 5; round++) {
    for (let id = 0; id < 1_000; id++) expect(seen.add(id)).toBe(true);
  }
});

test('knows the newest ids in any order of arrival, with bounded memory', () => {
  const step = fc.oneof(fc.constant(1), fc.integer({ min: -30, max: 30 }), fc.integer());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (steps, atLeast) => {
      const seen = new SeenIds(atLeast);
      const accepted: number[] = [];
      let id = 0;
      for (const by of steps) {
        id += by;
        const isNew = !accepted.includes(id);
        const isRecent = accepted.slice(-atLeast).includes(id);
        const added = seen.add(id);
        if (isNew) expect(added).toBe(true);
        if (isRecent) expect(added).toBe(false);
        if (added) accepted.push(id);
        expect(seen.has(id)).toBe(true);
        expect(seen.size).toBeLessThanOrEqual(2 * atLeast);
      }
    }),
    { numRuns: 500 },
  );
});

test('remembers ids of any size', () => {
  const seen = new SeenIds(10);
  expect(seen.add(2n ** 64n)).toBe(true);
  expect(seen.add(2n ** 64n)).toBe(false);
  expect(seen.add(2n ** 64n + 1n)).toBe(true);
  expect(seen.add(1)).toBe(true);
  expect(seen.add(Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(seen.has(2n ** 64n)).toBe(true);
});
