import { expect, test } from 'vitest';
import { loadedOnce } from './loaded-once.ts';

test('it is loaded once, whoever asks', async () => {
  let loads = 0;
  const get = loadedOnce(async () => ++loads);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('a load that failed is told to all who waited for it, and tried again by the next', async () => {
  let loads = 0;
  const get = loadedOnce(async () => {
    if (++loads === 1) throw new Error('not now');
    return loads;
  });
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get()).toBe(2);
  expect(await get()).toBe(2);
});
