import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnvFile } from './expand-draft.ts';

const values = (text: string) => Object.fromEntries(parseEnvFile(text).values);

test.each([
  ['a value', 'A=1', { A: '1' }],
  ['several, with blank lines', '\nA=1\n\n  \nB=2\n', { A: '1', B: '2' }],
  ['CRLF, and old Mac line ends', 'A=1\r\nB=2\rC=3', { A: '1', B: '2', C: '3' }],
  ['a byte order mark', '\uFEFFA=1', { A: '1' }],
  ['spaces around', '  A  =  1 2  ', { A: '1 2' }],
  ['export', 'export A=1\nexport  B=2', { A: '1', B: '2' }],
  ['comments', '# no\nA=1 # one\n  # B=2', { A: '1' }],
  ['a # in a value', 'A=a#b\nB="a # b" # c\nC=#c', { A: 'a#b', B: 'a # b', C: '' }],
  ['an empty value', 'A=\nB=""', { A: '', B: '' }],
  ['an = in a value', 'A=b=c==', { A: 'b=c==' }],
  ['single quotes, without escapes', 'A=\' $x \\n "y" \'', { A: ' $x \\n "y" ' }],
  ['backticks', 'A=`it\'s "so"`', { A: 'it\'s "so"' }],
  ['double quotes, with escapes', 'A="x\\ny\\t\\"z\\" \\\\ \\q"', { A: 'x\ny\t"z" \\ \\q' }],
  [
    'double quotes over several lines',
    'A="-----BEGIN\nabc\n-----END"\nB=2',
    { A: '-----BEGIN\nabc\n-----END', B: '2' },
  ],
  ['single quotes over several lines', "A='x\ny'\nB=2", { A: 'x\ny', B: '2' }],
  ['quotes in a value', 'A=it\'s "so"', { A: 'it\'s "so"' }],
  ['dots and dashes in a name', 'spring.datasource-url=x', { 'spring.datasource-url': 'x' }],
  ['the last of two definitions', 'A=1\nA=2', { A: '2' }],
  ['no variables', 'A=$HOME/${B}', { A: '$HOME/${B}' }],
  [
    'the name of an object member',
    '__proto__=1\nconstructor=2',
    Object.fromEntries([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]),
  ],
])('%s', (_, text, expected) => {
  expect(parseEnvFile(text).faults).toEqual([]);
  expect(values(text)).toEqual(expected);
});

test.each([
  ['a line without a definition', 'A=1\nnonsense here\nB=2', 2, /neither NAME=value nor a comment/],
  ['an invalid name', 'A=1\n\n1X=2\nB=2', 3, /neither NAME=value nor a comment/],
  ['an unclosed quote', 'A=1\nX="abc\nB=2', 2, /X has no closing quote/],
  ['text after a quoted value', 'A=1\nX="abc"def\nB=2', 2, /text after the value of X/],
])('reports %s with its line, and reads the rest', (_, text, line, message) => {
  expect(parseEnvFile(text).faults).toEqual([{ line, message: expect.stringMatching(message) }]);
  expect(values(text)).toEqual({ A: '1', B: '2' });
});

test('errors never contain a value', () => {
  expect(JSON.stringify(parseEnvFile("X=\"hunter2\nhunter2\nY='a'hunter2").faults)).not.toContain('hunter2');
});

test('any value survives double quotes', () => {
  const quote = (value: string) =>
    `"${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '"', "'", '`', '\\', '\n', '\r', '#', '=', '$', 'é', '😀'),
  });
  fc.assert(fc.property(text, (value) => values(`A=${quote(value)} # x\nB=1`).A === value));
});

test('reads any text without an exception', () => {
  const text = fc.string({ unit: fc.constantFrom('A', '=', '"', "'", '\\', '\n', ' ', '#', 'export '), maxLength: 60 });
  fc.assert(fc.property(text, (each) => parseEnvFile(each).values instanceof Map));
});
