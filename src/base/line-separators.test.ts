import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeLineSeparators } from './to-json.ts';

const separators = fc.constantFrom('\u2028', '\u2029', '\\', '"', 'é', '漢', 'a', '\n');
const text = fc.array(separators).map((parts) => parts.join(''));

test('text without line separators is unchanged', () => {
  for (const json of ['{}', '{"a":"é"}', '{"a":"漢🙂"}', '"\\u2028"']) expect(escapeLineSeparators(json)).toBe(json);
});

test('line separators in keys and values are escaped, with an equal JSON value', () => {
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const escaped = escapeLineSeparators(JSON.stringify(value));
      expect(escaped).not.toMatch(/[\u2028\u2029]/);
      expect(JSON.parse(escaped)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
