import { expect, test } from 'vitest';
import { boundedPattern } from './bounded-pattern.ts';

test('a pattern matches as usual, and one that takes too long is not judged', () => {
  const pattern = boundedPattern('^(a+)+$', 'u');
  expect(pattern.test('aaa')).toBe(true);
  expect(pattern.test('b')).toBe(false);
  expect(pattern.test(`${'a'.repeat(60)}!`)).toBe(true);
  expect(() => boundedPattern('(', 'u')).toThrow(SyntaxError);
});
