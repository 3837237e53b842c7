import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeLineSeparators } from './line-separators.ts';

const separators = fc.constantFrom('\u2028', '\u2029', '\\', '"', 'é', '漢', 'a', '\n');
const text = fc.array(separators).map((parts) => parts.join(''));

test('text without them is the same', () => {
  for (const json of ['{}', '{"a":"é"}', '{"a":"漢🙂"}', '"\\u2028"']) expect(escapeLineSeparators(json)).toBe(json);
});

test('text with them is the same JSON without them, in keys and values', () => {
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const escaped = escapeLineSeparators(JSON.stringify(value));
      expect(escaped).not.toMatch(/[\u2028\u2029]/);
      expect(JSON.parse(escaped)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
