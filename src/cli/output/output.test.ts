import { expect, test } from 'vitest';
import { isColourful, painter } from '../../base/terminal/colours.ts';
import { textWidth } from '../../base/terminal/text-width.ts';
import { Output } from './output.ts';
import { printRows, tableLines } from './table.ts';

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

test('columns in which nothing stands take no room on a terminal', () => {
  const rows = [
    ['a', '', 'x'],
    ['b', { text: '' }, 'y'],
  ];
  expect(tableLines(['NAME', 'EMPTY', 'MORE'], rows, 80, painter(false))).toEqual(['NAME  MORE', 'a     x', 'b     y']);
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
