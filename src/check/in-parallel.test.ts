import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('reports a failure after running items have ended, and starts no further item', async () => {
  const ended: number[] = [];
  let release!: () => void;
  const later = new Promise<void>((resolve) => {
    release = resolve;
  });
  const done = inParallel([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error('the first');
    await later;
    ended.push(item);
  });
  let isSettled = false;
  done
    .catch(() => undefined)
    .finally(() => {
      isSettled = true;
    });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  release();
  await expect(done).rejects.toThrow('the first');
  expect(ended).toEqual([2]);
});
