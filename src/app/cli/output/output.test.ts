import { expect, test } from 'vitest';
import { isColourful, painter } from '../../../base/terminal/colours.ts';
import { textWidth } from '../../../base/terminal/text-width.ts';
import { Output } from './output.ts';
import { causeOf, describing, printRows, shownPath, tableLines } from './table.ts';

test('a table keeps its width and shows every letter of any text', () => {
  const rows = [
    ['a', 'x'.repeat(200), '漢字'.repeat(30)],
    ['a long name here', '\x1b[2J', '/a/long/path/of/a/config/file.json:12'],
  ];
  for (const width of [24, 40, 80]) {
    const lines = tableLines(['NAME', 'TEXT', 'MORE'], rows, width, painter(false));
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
    const text = lines.join('');
    expect(text.match(/x/g)!.length).toBe(200 + 1);
    expect(text.match(/漢/g)).toHaveLength(30);
    expect(text).not.toContain('…');
  }
});

test('breaks paths after a slash, and shows a reason below its row over the whole width', () => {
  const rows = [
    ['one', '/home/somebody/projects/weather/mcp.json', 'the server does not accept connections'],
    ['two', 'x', ''],
  ];
  expect(tableLines(['NAME', 'FROM', 'WHY'], rows, 30, painter(false), { below: 'WHY' })).toEqual([
    'NAME  FROM',
    'one   /home/somebody/projects/',
    '      weather/mcp.json',
    '  the server does not accept',
    '  connections',
    'two   x',
  ]);
});

test('cuts only a description, after three lines', () => {
  const lines = tableLines(['TOOL', 'DESCRIPTION'], [['t', describing('word '.repeat(40))]], 26, painter(false));
  expect(lines.slice(1)).toEqual([
    't     word word word word',
    '      word word word word',
    '      word word word word…',
  ]);
});

test.each([
  ['/home/me/p/mcp.json', true, '~/p/mcp.json'],
  ['/home/me', true, '~'],
  ['/home/merry/mcp.json', true, '/home/merry/mcp.json'],
  ['/home/me/p/mcp.json', false, '/home/me/p/mcp.json'],
])('the path %s, on a terminal: %s, is shown as %s', (path, onTerminal, expected) => {
  expect(shownPath(path, { onTerminal }, '/home/me', 'posix')).toBe(expected);
  expect(shownPath(path, { onTerminal }, '/home/me', 'powershell')).toBe(path);
});

test.each([
  [
    'Server "x" is not running: Could not connect (initialize): Server "node -e \'a("b")\'" exited with code 3 before its first message: boom',
    'exited with code 3 before its first message: boom',
  ],
  [
    'Could not connect to http://127.0.0.1:9/mcp: the server does not accept connections',
    'the server does not accept connections',
  ],
  ['Server "x" cannot be reached: Could not connect to http://a: no', 'no'],
  ['Cannot find the command "x"', 'Cannot find the command "x"'],
  ['Server "x" was stopped: by hand', 'Server "x" was stopped: by hand'],
])('finds the cause in %s', (message, cause) => {
  expect(causeOf(message)).toBe(cause);
});

test('omits empty columns on a terminal', () => {
  const rows = [
    ['a', '', 'x'],
    ['b', { text: '' }, 'y'],
  ];
  expect(tableLines(['NAME', 'EMPTY', 'MORE'], rows, 80, painter(false))).toEqual(['NAME  MORE', 'a     x', 'b     y']);
});

test('in a pipe, rows are lines with fields, and their text contains no separators', () => {
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
