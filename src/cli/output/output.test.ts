import { describe, expect, test } from 'vitest';
import { isColourful, painter } from './colours.ts';
import { Output } from './output.ts';
import { printRows, tableLines } from './table.ts';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';
import { visible, visibleJson, visibleLine } from './visible.ts';

describe('what a terminal would obey is written out', () => {
  test.each([
    ['an escape sequence', '\x1b[31mred', '\\x1b[31mred'],
    ['its eight-bit form', '\u009b31m', '\\x9b31m'],
    ['a carriage return that hides a line', 'good\rbad', 'good\\x0dbad'],
    ['a line end of Windows', 'a\r\nb', 'a\nb'],
    ['a mark that turns the direction', 'a\u202eb', 'a\\u202eb'],
    ['letters that nobody sees', 'a\u{e0041}\u200bb', 'a\\u{e0041}\\u200bb'],
    ['tabs and newlines stay', 'a\tb\n', 'a\tb\n'],
    ['letters stay', 'grüße 漢字 👩‍👩‍👧', 'grüße 漢字 👩‍👩‍👧'],
  ])('%s', (_what, text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  test('a name has one line', () => {
    expect(visibleLine('a\tb\nc')).toBe('a\\tb\\nc');
  });

  test('JSON stays the same JSON', () => {
    const value = { text: '\x1b\u009b\x7f\u202e\u{e0041}\n', 'k\u009b': 1 };
    expect(JSON.parse(visibleJson(value))).toEqual(value);
    expect(visibleJson(value)).toMatch(/^[\n\x20-\x7e]*$/);
  });
});

describe('width', () => {
  test.each([
    ['plain', 5],
    ['grüße', 5],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👩‍👩‍👧', 2],
    ['한국어', 6],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
    expect(textWidth(padToWidth(text, 10))).toBe(10);
  });

  test.each(['plain text', '漢字漢字漢字', 'e\u0301e\u0301e\u0301e\u0301', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'])(
    '%s is cut between letters',
    (text) => {
      for (let width = 1; width < 12; width++) expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
      expect(cutToWidth(text, 100)).toBe(text);
    },
  );
});

test('a table keeps to its width, whatever is in it', () => {
  const rows = [
    ['a', 'x'.repeat(200), '漢字'.repeat(30)],
    ['a long name here', '\x1b[2J', ''],
  ];
  for (const width of [24, 40, 80]) {
    const lines = tableLines(['NAME', 'TEXT', 'MORE'], rows, width, painter(false));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
  }
});

test('in a pipe, rows are lines and fields, and nothing in them can be taken for either', () => {
  const written: string[] = [];
  const stdout = { write: (chunk: string | Uint8Array) => written.push(String(chunk)) > 0 };
  const out = new Output({ stdout, stderr: stdout, env: {}, json: false });
  printRows(
    out,
    ['A', 'B'],
    [
      ['one\ttwo', 'three\nfour'],
      [{ text: 'x', colour: 'red' }, ''],
    ],
  );
  expect(written.join('')).toBe('one\\ttwo\tthree\\nfour\nx\t\n');
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
])('on a terminal: %s, with %j, colours: %s', (isTerminal, env, expected) => {
  expect(isColourful(isTerminal, env)).toBe(expected);
});
