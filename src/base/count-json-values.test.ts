import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMoreValues } from './count-json-values.ts';

/** Counts the values with JSON.parse, as the reference. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + valuesIn(item), 1);
}

function emptyIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  return items.length === 0 ? 1 : items.reduce((sum: number, item) => sum + emptyIn(item), 0);
}

test('counts the values that the parser creates, and empty objects and arrays twice', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, pretty) => {
      const text = JSON.stringify(value, null, pretty ? 2 : 0);
      const count = valuesIn(value) + emptyIn(value);
      expect(hasMoreValues(text, count)).toBe(false);
      if (text.length >= count) expect(hasMoreValues(text, count - 1)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('ignores strings, however they are escaped', () => {
  const inside = '{,[,'.repeat(50);
  for (const text of [inside, `\\"${inside}`, `${inside}\\\\`, `${'\\'.repeat(40)}"${inside}`, `${inside}\\"`]) {
    const json = JSON.stringify([text, JSON.stringify(text), 1]);
    expect(JSON.parse(json)).toHaveLength(3);
    expect(hasMoreValues(json, 4), json).toBe(false);
    expect(hasMoreValues(json, 2), json).toBe(true);
  }
});

test('does not scan a text with fewer characters than allowed values', () => {
  const text = Object.assign(Object('[[],[]]'), { charCodeAt: () => expect.fail('looked') }) as string;
  expect(hasMoreValues(text, 7)).toBe(false);
  expect(hasMoreValues('[[],[]]', 5)).toBe(false);
  expect(hasMoreValues('[[],[]]', 4)).toBe(true);
});

test('does not count values after an unterminated string', () => {
  expect(hasMoreValues(`["${',,,,\\"'.repeat(100)}`, 2)).toBe(false);
});
