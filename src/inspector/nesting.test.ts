import { expect, test } from 'vitest';
import { isNestedTooDeeply } from './nesting.ts';

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

test('what anybody means is not too deep, however much it is', () => {
  for (const value of [undefined, null, 1, 'x', [], {}, { a: [1, { b: null }] }, nested(900)]) {
    expect(isNestedTooDeeply(value)).toBe(false);
  }
  expect(isNestedTooDeeply(Array.from({ length: 200_000 }, (_, i) => ({ i })))).toBe(false);
});

test('what could not be written again is too deep, wherever it stands', () => {
  expect(() => JSON.stringify(nested(100_000))).toThrow(RangeError);
  expect(isNestedTooDeeply(nested(100_000))).toBe(true);
  expect(isNestedTooDeeply({ a: [1, 2, { b: nested(2_000) }], c: 3 })).toBe(true);
});
