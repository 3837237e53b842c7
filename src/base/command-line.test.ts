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
])('%j is written as %s', (word, written) => {
  expect(shellWord(word)).toBe(written);
});

test('a command line is split into the words that it was made of', () => {
  const word = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', 'a', '\n') }));
  fc.assert(
    fc.property(word, fc.array(word), (command, args) => {
      expect(commandWords(commandLine(command, args))).toEqual([command, ...args]);
    }),
  );
});

test('a command line that was written by hand', () => {
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
