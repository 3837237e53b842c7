import { expect, test } from 'vitest';
import type { UsageError } from '../../../base/errors.ts';
import { configOnNode } from '../node/run-instances.ts';
import { type ReadOptions, readFleetEntries } from './read-entries.ts';

const read = (servers: object, options?: ReadOptions) =>
  readFleetEntries(JSON.stringify({ mcpServers: servers }), 'fleet.json', options);
const textsOf = async (servers: object, options?: ReadOptions) =>
  (await read(servers, options)).problems.map(({ severity, message }) => `${severity}: ${message}`);

test('keeps the text of an entry, with the defaults of its place', async () => {
  const { servers, problems } = await read({
    files: {
      command: 'npx',
      args: ['x', '${HOME}'],
      env: { TOKEN: '${TOKEN}' },
      place: { labels: ['gpu'], replicas: 3 },
    },
    web: {
      url: 'https://x.test/mcp',
      headers: { Authorization: 'Bearer ${WEB}' },
      '//': 'a comment',
      description: 'd',
    },
  });
  expect(problems).toEqual([]);
  expect(servers).toEqual([
    {
      name: 'files',
      entry: { command: 'npx', args: ['x', '${HOME}'], env: { TOKEN: '${TOKEN}' } },
      place: { labels: ['gpu'], replicas: 3, spread: 'prefer', stateless: false },
    },
    {
      name: 'web',
      entry: { url: 'https://x.test/mcp', headers: { Authorization: 'Bearer ${WEB}' } },
      place: { labels: [], replicas: 1, spread: 'prefer', stateless: false },
    },
  ]);
});

test('reports a mistake at its position, and refuses the whole text', async () => {
  const text = '{"mcpServers": {\n  "a": {"command": "x"},\n  "b": {"command": "x", "place": {"replicas": 0}}\n}}';
  const { servers, problems } = await readFleetEntries(text, 'fleet.json');
  expect(servers).toEqual([]);
  expect(problems).toMatchObject([{ severity: 'error', server: 'b', file: 'fleet.json', line: 3, column: 47 }]);
});

test.each([
  ['a variable', { command: 'x', env: { API_KEY: 's3cr3t' } }, 'The variable "API_KEY"'],
  [
    'a password in the value of a variable',
    { command: 'x', env: { DB: 'postgres://u:hunter22@h/d' } },
    'The variable "DB"',
  ],
  ['the default of a reference', { command: 'x', env: { API_KEY: '${API_KEY:-s3cr3t}' } }, 'The variable "API_KEY"'],
  ['an argument', { command: 'x', args: ['--token', 's3cr3t-value'] }, 'An argument'],
  ['an argument with its name', { command: 'x', args: ['--api-key=s3cr3t-value'] }, 'An argument'],
  ['a header', { url: 'https://x.test', headers: { Authorization: 'Bearer abcdefgh' } }, 'The header "Authorization"'],
  ['a password in an address', { url: 'https://me:hunter22@x.test/mcp' }, 'The address'],
  ['the default in an argument', { command: 'x', args: ['--token', '${T:-s3cr3t-value}'] }, 'An argument'],
  ['the default in an address', { url: 'https://x.test/mcp?token=${T:-s3cr3t-value}' }, 'The address'],
  ['text beside a reference', { command: 'x', env: { API_KEY: 's3cr3tvalue${SUFFIX}' } }, 'The variable "API_KEY"'],
  ['text with an escaped reference', { command: 'x', env: { API_KEY: '$${A}s3cr3tvalue' } }, 'The variable "API_KEY"'],
  ['an address beside a reference', { url: 'https://x.test/mcp?token=s3cr3tvalue${X}' }, 'The address'],
  ['the fragment of an address', { url: 'https://x.test/mcp#token=s3cr3tvalue' }, 'The address'],
  ['a command', { command: '/srv/x?token=s3cr3tvalue' }, 'This text'],
  [
    'a private key',
    { command: 'x', env: { PEM: `-----BEGIN PRIVATE ${'KEY'}-----\ns3cr3t\n-----END PRIVATE ${'KEY'}-----` } },
    'The variable "PEM"',
  ],
  [
    'a secret of a client',
    { url: 'https://x.test', oauth: { clientId: 'c', clientSecret: 's3cr3t' } },
    '"clientSecret"',
  ],
])('refuses a secret in %s, without showing it', async (_, entry, what) => {
  const { problems } = await read({ a: entry });
  expect(problems).toMatchObject([
    { severity: 'error', message: `${what} contains a secret, which all nodes could read` },
  ]);
  expect(problems[0]!.suggestion).toContain('${');
  expect(JSON.stringify(problems)).not.toMatch(/s3cr3t|hunter22|abcdefgh/);
  expect((await read({ a: entry }, { allowLiterals: true })).servers).toHaveLength(1);
});

test('refuses an unknown key of "place", because without its labels the server would run on any node', async () => {
  const { servers, problems } = await read({ a: { command: 'x', place: { label: ['gpu'] } } });
  expect(servers).toEqual([]);
  expect(problems).toMatchObject([
    { severity: 'error', message: 'Unknown key "label"', suggestion: 'Did you mean "labels"?' },
  ]);
});

test('accepts references instead of secrets at any position', async () => {
  const texts = await textsOf({
    a: { command: 'x', args: ['--token', '${TOKEN}', '--key=${KEY}'], env: { SECRET: 'a-${SECRET}', B: '${PW:-}' } },
    b: { url: 'https://u:${PASSWORD}@x.test/mcp?token=${TOKEN}', headers: { 'X-Api-Key': '${KEY}' } },
    c: { command: 'npx', args: ['mcp-remote', 'https://x.test', '--header', 'Authorization: Bearer ${TOKEN}'] },
    d: { command: '/bin/sh', args: ['-c', 'API_KEY=$KEY TOKEN="$(cat /run/secrets/token)" exec server'] },
  });
  expect(texts).toEqual([]);
});

test('accepts text that only names or describes a secret', async () => {
  const texts = await textsOf({
    a: {
      command: 'x',
      args: ['--key', '/etc/tls/key.pem', '--token-env', 'MY_TOKEN', '-e', 'GITHUB_TOKEN', '--max-tokens', '4096'],
      env: { GOOGLE_APPLICATION_CREDENTIALS: '/etc/gcp.json', AUTH: 'oauth2', PROXY_AUTH: 'none', API_KEY: '' },
    },
  });
  expect(texts).toEqual([]);
});

test.each([
  [{ a: { command: './server', cwd: 'sub/folder' } }, 'warning: This path is relative'],
  [
    { 'a@b': { command: 'x' } },
    'error: The name of a server of a fleet has at most 100 characters of valid Unicode, without "@" and "#"',
  ],
  [
    { '\ud800': { command: 'x' } },
    'error: The name of a server of a fleet has at most 100 characters of valid Unicode, without "@" and "#"',
  ],
  [{ a: { url: 'nats://fleet/x' } }, 'error: A server of a fleet cannot be an entry of a config file'],
  [{ a: { command: 'x', args: ['${'] } }, 'error: In this string, "${" has no closing "}"'],
  [
    { a: { command: 'x', place: { labels: ['a b'] } } },
    'error: A label consists of letters, digits, "-" and "_", at most 64',
  ],
  [{ a: { command: 'x', place: { spread: 'node' } } }, 'error: "spread" must be one of "nodes", "prefer"'],
])('%j: %s', async (servers, text) => {
  expect(await textsOf(servers)).toContain(text);
});

test('limits a server to 100 labels', async () => {
  const labels = Array.from({ length: 101 }, (_, at) => `l${at}`);
  expect(await textsOf({ a: { command: 'x', place: { labels: labels.slice(1) } } })).toEqual([]);
  expect(await textsOf({ a: { command: 'x', place: { labels } } })).toEqual([
    'error: "labels" has 101 names, and may have 100',
  ]);
});

const context = { cwd: '/srv', home: '/home/me', env: { TOKEN: 'of this node' }, platform: 'linux' as const };

test('a node expands an entry with its own variables and folder', async () => {
  const { servers } = await read({
    a: { command: 'x', args: ['${workspaceFolder}'], env: { TOKEN: '${TOKEN}' }, cwd: 'sub' },
  });
  expect(configOnNode(servers[0]!, context)).toMatchObject({
    name: 'a',
    args: ['/srv'],
    env: { TOKEN: 'of this node' },
    cwd: '/srv/sub',
  });
});

test('the error of a node names the variable that it lacks', async () => {
  const { servers } = await read({ a: { command: 'x', env: { TOKEN: '${OTHER_THING}' } } });
  try {
    configOnNode(servers[0]!, context);
    expect.unreachable();
  } catch (error) {
    expect(error as UsageError).toMatchObject({ code: 'VARIABLE_NOT_SET', message: 'Variable OTHER_THING is not set' });
  }
});
