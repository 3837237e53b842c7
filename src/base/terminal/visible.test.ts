import { describe, expect, test } from 'vitest';
import { visible, visibleIndented, visibleJson, visibleLine } from './visible.ts';

describe('escapes control characters for a terminal', () => {
  test.each([
    ['an escape sequence', '\x1b[31mred', '\\x1b[31mred'],
    ['its eight-bit form', '\u009b31m', '\\x9b31m'],
    ['a carriage return that hides a line', 'good\rbad', 'good\\x0dbad'],
    ['a line end of Windows', 'a\r\nb', 'a\nb'],
    ['a mark that changes the direction', 'a\u202eb', 'a\\u202eb'],
    ['invisible letters', 'a\u{e0041}\u200bb', 'a\\u{e0041}\\u200bb'],
    ['tabs and newlines stay', 'a\tb\n', 'a\tb\n'],
    ['letters stay', 'grüße 漢字 👩‍👩‍👧', 'grüße 漢字 👩‍👩‍👧'],
  ])('%s', (_what, text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  test('indents further lines after a label', () => {
    expect(visibleIndented('a\r\nhint: b\nc')).toBe('a\n  hint: b\n  c');
  });

  test('writes a name on one line', () => {
    expect(visibleLine('a\tb\nc')).toBe('a\\tb\\nc');
  });

  test('escaped JSON has an equal value', () => {
    const value = { text: '\x1b\u009b\x7f\u202e\u{e0041}\n', 'k\u009b': 1 };
    expect(JSON.parse(visibleJson(value))).toEqual(value);
    expect(visibleJson(value)).toMatch(/^[\n\x20-\x7e]*$/);
  });
});
