import { expect, test } from 'vitest';
import { maskValues } from './mask-values.ts';
import { redactArguments, secretsInArguments } from './redact-arguments.ts';

const mask = (args: string[], env = {}, secrets: string[] = []) => redactArguments(args, maskValues(env, secrets));

test('hides values of env at any position', () => {
  expect(mask(['--dsn', 'x:hunter22@y', 'hunter22'], { DB: 'hunter22' })).toEqual([
    '--dsn',
    'x:[env DB]@y',
    '[env DB]',
  ]);
});

test('hides values that are known to be secret', () => {
  expect(mask(['run', 'id=abcd1234'], {}, ['abcd1234'])).toEqual(['run', 'id=[redacted]']);
});

test.each([
  [
    ['--token', 'abc'],
    ['--token', '[redacted]'],
  ],
  [
    ['--api-key', 'abc'],
    ['--api-key', '[redacted]'],
  ],
  [
    ['--apiKey', 'abc'],
    ['--apiKey', '[redacted]'],
  ],
  [
    ['-password', 'abc'],
    ['-password', '[redacted]'],
  ],
  [['--token=abc'], ['--token=[redacted]']],
  [['--github-personal-access-token=abc'], ['--github-personal-access-token=[redacted]']],
  [
    ['-e', 'GITHUB_TOKEN=abc'],
    ['-e', 'GITHUB_TOKEN=[redacted]'],
  ],
  [
    ['--header', 'Authorization: Bearer abc'],
    ['--header', 'Authorization: [redacted]'],
  ],
  [
    ['--header', 'X: Bearer abcdefgh'],
    ['--header', 'X: Bearer [redacted]'],
  ],
  [['sk-abcdefghijkl'], ['[redacted]']],
  [['key:ghp_abcdefghijkl!'], ['key:[redacted]!']],
  [
    [`x sp_${'aB3-_'.repeat(9).slice(0, 43)} y`, 'sp_helptext_of_a_procedure'],
    ['x [redacted] y', 'sp_helptext_of_a_procedure'],
  ],
  [['postgres://ada:secret@host/db'], ['postgres://ada:[redacted]@host/db']],
  [['https://x.test/sse?api_key=abc&v=2'], ['https://x.test/sse?api_key=[redacted]&v=2']],
])('shows %j as %j', (args, shown) => {
  expect(mask(args)).toEqual(shown);
});

test.each([
  [['-y', '@modelcontextprotocol/server-github']],
  [['--token', '--verbose']],
  [['--max-tokens', '100']],
  [['--author', 'ada', '--keyboard', 'us']],
  [['-e', 'GITHUB_TOKEN']],
  [['-jar', 'E:/path/to/mcp-server.jar']],
  [['http://localhost:8080/x', 'user@host:path']],
  [['sk-1']],
])('shows %j unchanged', (args) => {
  expect(mask(args)).toEqual(args);
});

test('shows a known value after a secret option by its name', () => {
  expect(mask(['--token', 'hunter22'], { GH: 'hunter22' })).toEqual(['--token', '[env GH]']);
});

test('secrets of a command line are known, so that they can be hidden elsewhere', () => {
  const args = [
    '--token',
    'abcd',
    '--api-key=efgh1',
    'postgres://ada:ijkl@host/db',
    '-e',
    'PASS=mnop',
    '{"secret":"q\\"rst"}',
  ];
  expect(secretsInArguments(args)).toEqual(['abcd', 'efgh1', 'ijkl', 'mnop', 'q"rst']);
  expect(secretsInArguments(['--token', 'abc', '--password', 'true', '--name', 'weather'])).toEqual([]);
});
