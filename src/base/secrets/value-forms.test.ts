import { expect, test } from 'vitest';
import { formsOf, maskValues } from './mask-values.ts';

const value = 'é"\\/<&>+\u2028 \'`~*\u0001x';

test.each([
  ['JSON.stringify', JSON.stringify(value)],
  ['JSON.stringify, with line separators escaped', String.raw`"é\"\\/<&>+\u2028 '${'`'}~*\u0001x"`],
  ['Python', String.raw`"\u00e9\"\\/<&>+\u2028 '${'`'}~*\u0001x"`],
  ['Go', String.raw`"é\"\\/\u003c\u0026\u003e+\u2028 '${'`'}~*\u0001x"`],
  ['PHP', String.raw`"\u00e9\"\\\/<&>+\u2028 '${'`'}~*\u0001x"`],
  ['.NET', String.raw`"\u00E9\u0022\\/\u003C\u0026\u003E\u002B\u2028 \u0027\u0060~*\u0001x"`],
])('finds a value in the form of %s, and in JSON inside a string', (_, json) => {
  expect(JSON.parse(json)).toBe(value);
  const mask = maskValues({ KEY: value });
  expect(mask(json)).toBe('"[env KEY]"');
  expect(mask(JSON.stringify({ text: `{"key":${json}}` }))).toBe(String.raw`{"text":"{\"key\":\"[env KEY]\"}"}`);
});

test.each([
  ['encodeURIComponent', encodeURIComponent(value)],
  ['a form', new URLSearchParams({ v: value }).toString().slice(2)],
  ['RFC 3986', '%C3%A9%22%5C%2F%3C%26%3E%2B%E2%80%A8%20%27%60~%2A%01x'],
  ["Python's quote, which keeps slashes", '%C3%A9%22%5C/%3C%26%3E%2B%E2%80%A8%20%27%60~%2A%01x'],
  ['lower-case digits', '%c3%a9%22%5c%2f%3c%26%3e%2b%e2%80%a8%20%27%60~%2a%01x'],
])('finds a value escaped by %s', (_, escaped) => {
  expect(maskValues({ KEY: value })(`?v=${escaped}&x=1`)).toBe('?v=[env KEY]&x=1');
});

test('a value without special characters has one form', () => {
  expect(formsOf('ghx_0123-abc.DEF')).toEqual(['ghx_0123-abc.DEF']);
});
