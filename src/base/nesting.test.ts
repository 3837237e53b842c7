import { expect, test } from 'vitest';
import { isNestedTooDeeply, MAX_NESTING } from './to-json.ts';

const arrays = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const objects = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

test('large values of usual depth are accepted', () => {
  for (const value of [undefined, null, 1, 'x', [], {}, { a: [1, { b: null }] }, new Date()]) {
    expect(isNestedTooDeeply(value)).toBe(false);
  }
  expect(isNestedTooDeeply(Array.from({ length: 200_000 }, (_, i) => ({ i })))).toBe(false);
});

test('the limit is exact, for arrays and objects', () => {
  for (const nested of [arrays, objects]) {
    expect(isNestedTooDeeply(nested(MAX_NESTING))).toBe(false);
    expect(isNestedTooDeeply(nested(MAX_NESTING + 1))).toBe(true);
    expect(isNestedTooDeeply(nested(100_000))).toBe(true);
  }
});

test('applies at any position', () => {
  expect(isNestedTooDeeply({ a: [1, 2, { b: arrays(2_000) }], c: 3 })).toBe(true);
});

test('ignores the members of a value with toJSON', () => {
  const self: Record<string, unknown> = { toJSON: () => 'short' };
  self.self = self;
  expect(isNestedTooDeeply([self])).toBe(false);
});
