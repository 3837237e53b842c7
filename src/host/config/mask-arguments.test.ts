import { expect, test } from 'vitest';
import { isSecretVariable } from '../../base/secret-variable.ts';
import { maskArguments, valueMask } from './mask-arguments.ts';

const mask = (args: string[], env = {}, secrets: string[] = []) => maskArguments(args, valueMask(env, secrets));

test('values of env are hidden wherever they stand', () => {
  expect(mask(['--dsn', 'x:hunter22@y', 'hunter22'], { DB: 'hunter22' })).toEqual(['--dsn', 'x:••••@y', '••••']);
});

test('values that are known to be secret are hidden', () => {
  expect(mask(['run', 'id=abcd1234'], {}, ['abcd1234'])).toEqual(['run', 'id=••••']);
});

test.each([
  [
    ['--token', 'abc'],
    ['--token', '••••'],
  ],
  [
    ['--api-key', 'abc'],
    ['--api-key', '••••'],
  ],
  [
    ['--apiKey', 'abc'],
    ['--apiKey', '••••'],
  ],
  [
    ['-password', 'abc'],
    ['-password', '••••'],
  ],
  [['--token=abc'], ['--token=••••']],
  [['--github-personal-access-token=abc'], ['--github-personal-access-token=••••']],
  [
    ['-e', 'GITHUB_TOKEN=abc'],
    ['-e', 'GITHUB_TOKEN=••••'],
  ],
  [
    ['--header', 'Authorization: Bearer abc'],
    ['--header', 'Authorization: ••••'],
  ],
  [
    ['--header', 'X: Bearer abc'],
    ['--header', 'X: Bearer ••••'],
  ],
  [['sk-abcdefghijkl'], ['••••']],
  [['key:ghp_abcdefghijkl!'], ['key:••••']],
  [['postgres://ada:secret@host/db'], ['postgres://ada:••••@host/db']],
  [['https://x.test/sse?api_key=abc&v=2'], ['https://x.test/sse?api_key=••••&v=2']],
])('%j is shown as %j', (args, shown) => {
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
])('%j hides nothing and is shown as it is', (args) => {
  expect(mask(args)).toEqual(args);
});

test.each([
  'TOKEN',
  'GH_TOKEN',
  'apiKey',
  'API-KEY',
  'AWS_SECRET_ACCESS_KEY',
  'DB_PASSWORD',
  'key',
  'auth',
  'PGPASSWORD',
])('%s promises a secret', (name) => {
  expect(isSecretVariable(name)).toBe(true);
});

test.each(['HOME', 'PATH', 'AUTHOR', 'MONKEY', 'MAX_TOKENS', 'PORT', 'COMPASS'])('%s promises none', (name) => {
  expect(isSecretVariable(name)).toBe(false);
});
