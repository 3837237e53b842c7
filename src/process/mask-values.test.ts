import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskValues } from './mask-values.ts';

test('every occurrence of a value becomes the name of its variable', () => {
  const mask = maskValues({ TOKEN: 'hunter22' });
  expect(mask('hunter22 and Bearer hunter22.')).toBe('[env TOKEN] and Bearer [env TOKEN].');
});

test('of two values, the longer one wins whole', () => {
  const mask = maskValues({ SHORT: 'abcd', LONG: 'abcdefgh' });
  expect(mask('abcdefgh abcd')).toBe('[env LONG] [env SHORT]');
});

test('a mask is never masked again', () => {
  expect(maskValues({ A: 'TOKEN', TOKEN: 'secret' })('secret')).toBe('[env TOKEN]');
});

test('a value is found as JSON would print it', () => {
  const mask = maskValues({ KEY: '-----BEGIN\n"x"\\y' });
  expect(mask(JSON.stringify({ key: '-----BEGIN\n"x"\\y' }))).toBe('{"key":"[env KEY]"}');
});

test('values are text, not patterns', () => {
  expect(maskValues({ P: 'a.*b|c(d)[e]{f}^$/\\' })('a.*b|c(d)[e]{f}^$/\\ axxb')).toBe('[env P] axxb');
});

test('values too short to be secrets stay, and so does PATH', () => {
  const mask = maskValues({ DEBUG: '1', MODE: 'abc', PATH: '/usr/bin', EMPTY: '' });
  expect(mask('1 abc /usr/bin')).toBe('1 abc /usr/bin');
});

test('no value of four characters or more is left in any text', () => {
  // Brackets and lower case keep values from being part of a mask itself.
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '$', '\\', '"', 'é'), minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.string(), (values, between) => {
      const env = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
      const text = maskValues(env)(values.join(between.replaceAll(/[ab.$\\"é]/g, '#') || '#'));
      for (const value of values) expect(text).not.toContain(value);
    }),
  );
});
