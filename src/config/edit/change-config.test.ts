import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { settingsFolder } from '../../../test/fixtures/windows.ts';
import { placeOf } from '../files/places.ts';
import type { PlainEntry } from '../hosts/host-program.ts';
import { systemContext } from '../system-context.ts';
import { changeConfig } from './change-config.ts';
import { ownPlaceOf } from './config-servers.ts';
import { newEntry } from './new-entry.ts';

const folder = temporaryFolder('change-config');
const context = systemContext({ cwd: folder, home: join(folder, 'home'), env: { PATH: process.env.PATH } });
const own = (config?: string) => ownPlaceOf({ config }, context);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

function write(file: string, text: string): string {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  return file;
}
const change = (file: string, servers: Record<string, PlainEntry | undefined>) =>
  changeConfig(placeOf(file, context), {
    ...context,
    create: true,
    plan: () => ({ servers: Object.entries(servers).map(([name, entry]) => ({ name, entry })) }),
  });

test('uses the config that Standpipe reads in the folder, or a new one', () => {
  const nameOf = (options = {}) =>
    ownPlaceOf(options, context)
      .file.slice(folder.length + 1)
      .replaceAll('\\', '/');
  expect(nameOf()).toBe('mcp.json');
  expect(nameOf({ user: true })).toBe(`home/${settingsFolder}/standpipe/mcp.json`);
  expect(nameOf({ config: 'other/x.json', user: true })).toBe('other/x.json');
  write('.vscode/mcp.json', '{}');
  expect(nameOf()).toBe('.vscode/mcp.json');
  write('.mcp.json', '{}');
  expect(nameOf()).toBe('.mcp.json');
});

const remote = { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${TOKEN}' }, restart: 'never' };

test.each<[string, PlainEntry]>([
  ['a/mcp.json', { mcpServers: { x: remote } }],
  ['a/.mcp.json', { mcpServers: { x: { ...remote, type: 'http' } } }],
  [
    'a/.vscode/mcp.json',
    { servers: { x: { ...remote, type: 'http', headers: { Authorization: 'Bearer ${env:TOKEN}' } } } },
  ],
  ['a/.cursor/mcp.json', { mcpServers: { x: { ...remote, headers: { Authorization: 'Bearer ${env:TOKEN}' } } } }],
])('%s keeps the format of its host, and accepts all keys of Standpipe', async (file, expected) => {
  const { isNew, problems } = await change(file, { x: remote });
  expect(isNew).toBe(true);
  expect(JSON.parse(read(file))).toEqual(expected);
  expect(problems).toMatchObject([{ code: 'VARIABLE_NOT_SET', server: 'x' }]);
  await change(file, { x: undefined });
  expect(Object.values(JSON.parse(read(file)))).toEqual([{}]);
});

test('changes TOML and YAML, and a server in two groups of a file', async () => {
  await change('b/config.toml', { x: remote });
  expect(read('b/config.toml')).toBe(
    '[mcp_servers.x]\nurl = "https://example.org/mcp"\nbearer_token_env_var = "TOKEN"\nrestart = "never"\n',
  );
  await change('b/config.yaml', { x: { command: 'node' } });
  expect(read('b/config.yaml')).toBe(
    'name: Local\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: x\n    command: node\n',
  );
  write('b/both.json', '{"mcpServers": {"x": {"command": "1"}}, "servers": {"x": {"command": "2"}, "y": {}}}');
  await change('b/both.json', { x: undefined });
  expect(read('b/both.json')).toBe('{"mcpServers": {}, "servers": {"y": {}}}');
});

test('does not write an entry that the reader of configs would refuse', async () => {
  for (const [entry, message] of [
    [{ command: 'x', framing: 'nope' }, 'Unknown framing "nope"'],
    [{ url: 'https://' }, 'not a URL'],
    [{ command: 'x', env: { 'A=B': '' } }, 'variable name'],
  ] as const) {
    const error = await change('c/mcp.json', { bad: entry }).catch((error) => error);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
  }
  expect(existsSync(join(folder, 'c/mcp.json'))).toBe(false);
  write('c/broken.json', '{"mcpServers": {,}}');
  await expect(change('c/broken.json', { x: { command: 'y' } })).rejects.toThrow('broken.json:1:17: Not JSON');
  expect(read('c/broken.json')).toBe('{"mcpServers": {,}}');
});

test('two simultaneous additions both succeed, and keep a backup', async () => {
  write('d/mcp.json', '// mine\n{"mcpServers": {}}\n');
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => change('d/mcp.json', { [name]: { command: name } })));
  for (const name of names) expect(read('d/mcp.json')).toContain(`"command": "${name}"`);
  expect(read('d/mcp.json')).toContain('// mine');
  expect(read('d/mcp.json.before-edit').match(/command/g)).toHaveLength(3);
});

test('secrets of the file are known, so that they can be hidden', async () => {
  const { secrets } = await change('e/mcp.json', {
    a: { command: 'x', env: { KEY: 'value-1', MODE: 'test', REF: '${KEY}' }, args: ['--token', 'value-2'] },
    b: { url: 'https://me:value-3@example.org', headers: { Name: 'value-4' } },
  });
  expect([...secrets].sort()).toEqual(['value-1', 'value-2', 'value-3', 'value-4']);
  expect(own().file).toBe(join(folder, '.mcp.json'));
});

test('creates an entry from a command line', () => {
  expect(newEntry({ command: ['npx', '-y'], env: ['A', 'B=c=d', 'API_KEY=x'], settings: { era: 'auto' } })).toEqual({
    entry: { command: 'npx', args: ['-y'], env: { A: '${A}', B: 'c=d', API_KEY: 'x' }, era: 'auto' },
    advice: ['Write --env API_KEY without a value to keep the value of API_KEY out of the file.'],
  });
  expect(newEntry({ url: 'https://a', header: ['X-Api-Key: k', 'Accept:b'], transport: 'sse' })).toEqual({
    entry: { type: 'sse', url: 'https://a', headers: { 'X-Api-Key': 'k', Accept: 'b' } },
    advice: [expect.stringContaining("'X-Api-Key: ${SOME_VARIABLE}'")],
  });
  expect(newEntry({ url: 'https://me:hunter2@example.org' }).advice).toEqual([
    expect.stringContaining('${SOME_VARIABLE}'),
  ]);
  expect(newEntry({ url: 'https://me:${PASSWORD}@example.org' }).advice).toEqual([]);
  for (const wrong of [
    {},
    { command: [] },
    { command: ['x'], url: 'https://a' },
    { command: ['x'], header: ['a: b'] },
    { url: 'file:///x' },
    { url: 'https://a', env: ['A=b'] },
    { url: 'https://a', header: ['secret'] },
    { command: ['x'], env: ['=x'] },
  ]) {
    expect(() => newEntry(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  }
});

test.skipIf(process.platform === 'win32')(
  'a new file with secrets is readable only by its owner, and the secrets are known',
  async () => {
    const url = 'https://example.org/mcp?key=hunter2-in-query';
    const { secrets } = await change('with-secrets.json', { x: { url, headers: { 'X-Key': 'hunter2-in-header' } } });
    expect(secrets).toEqual(expect.arrayContaining(['hunter2-in-query', 'hunter2-in-header']));
    await change('without.json', { x: { url: 'https://example.org/mcp?key=${KEY}', headers: { 'X-Key': '${KEY}' } } });
    const modes = ['with-secrets.json', 'without.json'].map((file) => statSync(join(folder, file)).mode & 0o077);
    expect(modes).toEqual([0, 0o044 & ~process.umask()]);
  },
);
