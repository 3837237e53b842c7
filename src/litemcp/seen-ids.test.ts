import { expect, test } from 'vitest';
import { SeenIds } from './seen-ids.ts';

test('the newest ids are known, and memory is bounded', () => {
  const seen = new SeenIds(100);
  for (let id = 0; id < 2_000; id++) {
    expect(seen.add(id)).toBe(true);
    expect(seen.size).toBeLessThanOrEqual(200);
    for (const recent of [id, id - 50, id - 99]) if (recent >= 0) expect(seen.has(recent)).toBe(true);
  }
  expect(seen.has(0)).toBe(false);
});

test('an id is known whatever its size', () => {
  const seen = new SeenIds(10);
  expect(seen.add(2n ** 64n)).toBe(true);
  expect(seen.add(2n ** 64n)).toBe(false);
  expect(seen.add(2n ** 64n + 1n)).toBe(true);
});
