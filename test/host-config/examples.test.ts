// Configs in common use: those of the project's own sources verbatim, and those of other hosts.

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { read as readText } from '../../src/config/read-text.contract.ts';
import type { CommandConfig, RemoteConfig } from '../../src/config/server-config.ts';
import { fixture, goodConfigs } from './fixtures.ts';

const world = { env: { STANDPIPE_INPUT_PERPLEXITY_KEY: 'k3y' }, home: '/home/ada' } as const;
const read = (name: string) => loadConfig({ file: fixture(name), ...world });

test.each(goodConfigs)('%s is valid', async (name) => {
  const { servers, rejected, problems } = await read(name);
  expect(servers.length).toBeGreaterThan(0);
  expect(rejected).toEqual([]);
  expect(problems).toEqual([]);
});

test('reads a Python server with a key', async () => {
  const { servers } = await read('good/python-with-key.json');
  expect(servers).toMatchObject([
    {
      name: 'python-example',
      command: 'python',
      args: ['/path/to/mcp_server.py'],
      env: { API_KEY: 'value' },
      cwd: dirname(fixture('good/python-with-key.json')),
      enabled: true,
      autoStart: true,
      source: { line: 3, column: 5 },
    },
  ]);
});

test.each(['linux', 'win32'] as const)('reads a Java server with Windows paths, on %s', async (platform) => {
  const text = readFileSync(fixture('good/java-on-windows.json'), 'utf8');
  const { servers } = await readText(text, { platform });
  expect(servers).toMatchObject([
    {
      name: 'my-java-server',
      command: 'java',
      args: ['-jar', 'E:/path/to/mcp-server.jar'],
      env: { JAVA_HOME: 'C:/Program Files/Java/jdk-17' },
      cwd: 'E:/working/directory',
      enabled: true,
      autoStart: true,
    },
  ]);
});

test('reads inputs, envFile, numbers and null of VS Code', async () => {
  const { servers } = await read('good/vscode.txt');
  const [perplexity, github] = servers as [CommandConfig, RemoteConfig];
  expect(perplexity.env).toEqual({
    LOG_LEVEL: 'info',
    CERTIFICATE: '-----BEGIN\nabc\n-----END',
    PERPLEXITY_API_KEY: 'k3y',
    REGION: 'eu',
    RETRIES: '3',
  });
  expect(github).toMatchObject({ name: 'github', transport: 'http' });
});

test('preserves backslashes of Windows paths', async () => {
  const { servers } = await read('good/windows.json');
  expect(servers[0]).toMatchObject({
    command: 'C:\\Program Files\\nodejs\\node.exe',
    args: ['C:\\Users\\Ada Lovelace\\notes\\server.js', '--share', '\\\\server\\share'],
    cwd: 'C:\\Users\\Ada Lovelace\\notes',
  });
});

test('an invalid entry affects no other entry', async () => {
  const { servers, rejected, problems } = await read('wrong/mistakes.jsonc');
  expect(servers.map(({ name }) => name)).toEqual(['fine']);
  expect(rejected.map(({ name }) => name).sort()).toEqual([
    'no-address',
    'no-command',
    'no-variable',
    'slip',
    'wrong-type',
  ]);
  expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    '4:19 There is no "command" and no "url"',
    '5:45 "args" must be an array of strings, not a string',
    '6:54 Variable STANDPIPE_TEST_NOT_SET is not set',
    '7:13 There is no "command" and no "url"',
    '7:15 Unknown key "comand"',
    '9:19 There is no "url"',
  ]);
});
