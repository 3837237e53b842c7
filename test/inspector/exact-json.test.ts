// The JSON parser of the page shows and sends values exactly as they were written.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lossOf, parseExact, plainOf, writeExact } from '../../ui/src/json/exact-json.ts';

describe('exact JSON', () => {
  it('keeps every digit, the order of keys and keys that stand twice', () => {
    for (const text of [
      '{"n":12345678901234567890,"e":1e400,"one":1.0,"minus":-0}',
      '{"a":1,"a":{"a":2,"a":[3]}}',
      '{"2":0,"1":0,"b":"\\u00e4 \\"quoted\\" {[,:]}"}',
      '[9007199254740993,[],{},"",null,true,false]',
    ]) {
      expect(writeExact(parseExact(text))).toBe(text.replace('\\u00e4', 'ä'));
      expect(plainOf(parseExact(text))).toEqual(JSON.parse(text));
    }
  });

  it('is the usual value if no information would be lost', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(plainOf(parseExact(text))).toEqual(JSON.parse(text));
        expect(writeExact(parseExact(text), indent ? '  ' : '')).toBe(text);
        expect(lossOf(parseExact(text))).toBe(undefined);
      }),
    );
  });

  it('marks numbers that exceed a double, and accepts other notations of a number', () => {
    for (const text of ['9007199254740993', '1e400', '0.1234567890123456789', '12345678901234567890', '-0']) {
      expect(lossOf(parseExact(`[${text}]`))).toContain(text);
    }
    for (const text of ['1.0', '1e2', '100e-2', '0.10', '9007199254740992', '1E21']) {
      expect(lossOf(parseExact(text))).toBe(undefined);
    }
    expect(lossOf(parseExact('{"a":1,"a":1}'))).toContain('duplicate');
  });

  it('fails as JSON.parse does', () => {
    expect(() => parseExact('{"a":')).toThrow(SyntaxError);
  });
});
