import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unfinishedValue } from './unfinished-value.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['starting with hunt', 4],
  ['hunter2', 7],
  ['hunter22', 0],
  ['hunter22 and h', 1],
  ['hhhhunte', 5],
  ['nothing', 0],
  ['', 0],
  ['its pässw', 6],
])('at the end of %j, %i bytes may be the beginning of a value', (text, expected) => {
  expect(unfinishedValue({ TOKEN: 'hunter22', OTHER: 'pässwort' })(bytes(text))).toBe(expected);
});

test('does not hold back values that are not masked', () => {
  expect(unfinishedValue({ PWD: '/home/me', DEBUG: 'true', A: 'abc' })(bytes('/home/m tru ab'))).toBe(0);
});

test.each([
  ['password=abc', 12],
  ['ready\nAuthorization: Bearer abc', 25],
  ['password=abc\n', 0],
  ['token: abc\nready', 0],
  [`${'x'.repeat(10_000)} api_key=abc`, 4096],
])('holds back an unfinished line that announces a secret: %#', (text, expected) => {
  expect(unfinishedValue({})(bytes(text))).toBe(expected);
});

test('holds back the first half of a value at any cut', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\n'), minLength: 5, maxLength: 9 });
  fc.assert(
    fc.property(value, fc.string(), fc.nat(), (secret, before, cut) => {
      const whole = bytes(secret);
      const at = 1 + (cut % (whole.length - 1));
      const text = new Uint8Array([...bytes(before), ...whole.subarray(0, at)]);
      expect(unfinishedValue({}, [secret])(text)).toBeGreaterThanOrEqual(at);
    }),
  );
});
