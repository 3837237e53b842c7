import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ValueFinder } from './value-finder.ts';

/** The reference: a pattern with an alternative for each value, longest first. */
function byPattern(values: readonly string[], text: string): string {
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((value) => value.replaceAll(/[.$]/g, '\\$&'));
  return values.length === 0 ? text : text.replaceAll(new RegExp(escaped.join('|'), 'g'), (value) => `<${value}>`);
}

test('replaces what a pattern of all values replaces', () => {
  const word = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '.', '$', 'é', '\u{1f511}'), minLength, maxLength });
  fc.assert(
    fc.property(fc.array(word(2, 6), { maxLength: 12 }), word(0, 60), (values, text) => {
      expect(new ValueFinder(values).replace(text, (value) => `<${value}>`)).toBe(byPattern(values, text));
    }),
    { numRuns: 2000 },
  );
});

test('examines a text once, however many values there are', () => {
  const examined = (count: number) => {
    const finder = new ValueFinder(Array.from({ length: count }, (_, n) => `eyJhbGciOiJ${n}.payload`));
    const spy = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      expect(finder.replace('eyJhbGciOiJSUzI1NiIs '.repeat(100), () => '')).toContain('SUzI1NiIs');
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  };
  expect(examined(2000)).toBeLessThan(5 * examined(10));
});
