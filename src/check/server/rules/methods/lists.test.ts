import { expect, test } from 'vitest';
import { movedEntry } from './lists.ts';

test('finds the first entry with another position, and ignores entries that were added or removed', () => {
  expect(movedEntry(['a', 'b', 'c'], ['a', 'b', 'c'])).toBeUndefined();
  expect(movedEntry(['a', 'b', 'c'], ['x', 'a', 'c'])).toBeUndefined();
  expect(movedEntry(['a', 'b', 'c'], ['a', 'c', 'b'])).toBe('c');
});

test('reads each entry of long lists a few times', () => {
  let reads = 0;
  const counted = (names: string[]) =>
    new Proxy(names, {
      get: (list, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(list, key, receiver);
      },
    });
  const names = Array.from({ length: 1_000 }, (_, at) => `tool-${at}`);
  expect(movedEntry(counted([...names]), counted([...names]))).toBeUndefined();
  expect(reads).toBeLessThan(10 * names.length);
});
