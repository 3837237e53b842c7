import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ValueFinder } from './mask-values.ts';

/** The reference: a pattern with an alternative for each value, longest first. */
function byPattern(values: readonly string[], text: string): string {
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((value) => value.replaceAll(/[.$]/g, '\\$&'));
  return values.length === 0 ? text : text.replaceAll(new RegExp(escaped.join('|'), 'g'), (value) => `<${value}>`);
}

test('replaces the same text as a pattern of all values', () => {
  const word = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '.', '$', 'é', '\u{1f511}'), minLength, maxLength });
  fc.assert(
    fc.property(fc.array(fc.oneof(word(2, 6), word(30, 40)), { maxLength: 12 }), word(0, 60), (values, text) => {
      expect(new ValueFinder(values).replace(text, (value) => `<${value}>`)).toBe(byPattern(values, text));
    }),
    { numRuns: 2000 },
  );
});

test('scans a text once, however many values there are', () => {
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

test('replaces long values, even with common prefixes', () => {
  const head = 'x'.repeat(40);
  const finder = new ValueFinder([head, `${head}a`, `${head}b${'c'.repeat(100)}`, 'xx']);
  const replaced = finder.replace(`${head}b${'c'.repeat(100)}! ${head}a ${head}z xx`, ({ length }) => `<${length}>`);
  expect(replaced).toBe('<141>! <41> <40>z <2>');
});

test('limits comparisons to a multiple of the text, and hides too much rather than too little', () => {
  const token = `${'a'.repeat(60_000)}b`;
  const spy = vi.spyOn(String.prototype, 'startsWith');
  try {
    expect(new ValueFinder([token]).replace(`${'a'.repeat(20_000)} end`, () => '*')).toMatch(/^a*\* end$/);
    const whole = spy.mock.calls.filter(([searched]) => searched === token).length;
    expect(whole * token.length).toBeLessThan(100 * 20_000);
  } finally {
    spy.mockRestore();
  }
});
