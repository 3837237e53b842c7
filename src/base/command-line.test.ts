import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, commandWords, programName, shellWord } from './command-line.ts';

test.each([
  ['node', 'node'],
  ['a=b', 'a=b'],
  ['', "''"],
  ['two words', "'two words'"],
  ["it's", "'it'\\''s'"],
  ['$HOME', "'$HOME'"],
  ['--token=[redacted]', '--token=[redacted]'],
  ['[env TOKEN]', '[env TOKEN]'],
])('writes %j as %s', (word, written) => {
  expect(shellWord(word, 'posix')).toBe(written);
});

test.each([
  ['node', 'node'],
  ['a=b', 'a=b'],
  ['C:\\tools\\x.exe', 'C:\\tools\\x.exe'],
  ['', '""'],
  ['two words', '"two words"'],
  ["it's", `"it's"`],
  ['@scope/name', '"@scope/name"'],
  ['a,b;c', '"a,b;c"'],
  ['a&b|c', '"a&b|c"'],
  ['$HOME', "'$HOME'"],
  ['100%', "'100%'"],
  ['{"a":"it\'s"}', `'{"a":"it''s"}'`],
  ['“x”', "'“x”'"],
  ['-Dx.y=1', '"-Dx.y=1"'],
  ['--config', '--config'],
  ['--token=[redacted]', '--token=[redacted]'],
  ['[env TOKEN]', '[env TOKEN]'],
])('writes %j as %s for PowerShell', (word, written) => {
  expect(shellWord(word, 'powershell')).toBe(written);
});

test('calls a program with a quoted path with & in PowerShell', () => {
  const line = '& "C:\\Program Files\\node.exe" server.js';
  expect(commandLine('C:\\Program Files\\node.exe', ['server.js'], 'powershell')).toBe(line);
  expect(commandWords(line, 'powershell')).toEqual(['C:\\Program Files\\node.exe', 'server.js']);
});

test.each(['posix', 'powershell'] as const)('splits a command line for %s into its original words', (shell) => {
  const word = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', 'a', '\n', '&', '’') }));
  fc.assert(
    fc.property(word, fc.array(word), (command, args) => {
      expect(commandWords(commandLine(command, args, shell), shell)).toEqual([command, ...args]);
    }),
  );
});

test('splits a command line that was written by hand', () => {
  expect(commandWords('C:\\Python\\python.exe "my server.py" -x')).toEqual([
    'C:\\Python\\python.exe',
    'my server.py',
    '-x',
  ]);
  expect(commandWords(`sh -c 'node x.js' "unclosed`)).toEqual(['sh', '-c', 'node x.js', '"unclosed']);
});

test.each([
  ['/usr/bin/python3.11', 'python3.11'],
  ['C:\\Python\\Python.exe', 'python'],
  ['npx.cmd', 'npx'],
])('the program of %s is %s', (word, program) => {
  expect(programName(word)).toBe(program);
});

test.each(['posix', 'powershell'] as const)('quotes a word of 30 MB only if necessary: %s', (shell) => {
  const long = 'x'.repeat(30_000_000);
  expect(shellWord(long, shell) === long).toBe(true);
  expect(shellWord(`${long} `, shell).length).toBe(long.length + 3);
  expect(commandWords(`node ${long}`, shell).map(({ length }) => length)).toEqual([4, long.length]);
});
