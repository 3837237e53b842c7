import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHeader, encodeHeader } from './header-text.ts';

test('encoded text is decoded, and only visible ASCII is sent unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const header = encodeHeader(value);
      expect(header).toMatch(/^[\x20-\x7e]*$/);
      expect(header.trim()).toBe(header);
      expect(decodeHeader(header)).toBe(value);
    }),
  );
});

test.each([
  ['us west 1', 'us west 1'],
  ['', ''],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['=?base64?=', '=?base64?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
])('%j is sent as %j', (value, header) => {
  expect(encodeHeader(value)).toBe(header);
});

test('invalid encodings are not decoded', () => {
  for (const header of ['=?base64?abc?=', '=?base64?a*==?=']) expect(decodeHeader(header)).toBeUndefined();
});
