import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { placeOf } from '../files/places.ts';
import { type HostId, hostIds, type PlainEntry } from '../hosts/host-program.ts';
import { systemContext } from '../system-context.ts';
import { placesOfHost, placeToWrite, serversOfPlaces } from './config-servers.ts';
import { type ExportOptions, exportServers, importServers } from './import-export.ts';
import { isSameEntry } from './spell-entry.ts';

const root = temporaryFolder('exchange');

/** A separate project and home. */
function newContext(env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(root, 'x-'));
  const [cwd, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const each of [cwd, home]) mkdirSync(each);
  const context = systemContext({ cwd, home, env: { PATH: process.env.PATH, ...env } });
  const write = (file: string, data: unknown): string => {
    const path = join(cwd, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof data === 'string' ? data : JSON.stringify(data));
    return path;
  };
  const own = (file = 'mcp.json') => placeOf(file, context);
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  const to = (host: HostId, options: Partial<ExportOptions> = {}) =>
    exportServers(own(), placeToWrite(host, undefined, context), { names: [], context, ...options });
  const from = async (host: HostId, target: string, options = {}) =>
    importServers(await serversOfPlaces(placesOfHost(host, context), context.platform), own(target), {
      names: [],
      context,
      ...options,
    });
  return { context, cwd, home, write, own, read, to, from };
}

const command: PlainEntry = { command: 'npx', args: ['-y', 'some "server"'], env: { KEY: '${KEY}', MODE: 'a b' } };
const remote: PlainEntry = { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${TOKEN}', Name: 'x' } };
const expanding: readonly HostId[] = [
  'claude-code',
  'cursor',
  'vscode',
  'codex',
  'windsurf',
  'cline',
  'gemini',
  'continue',
  'copilot',
  'kiro',
  'opencode',
];

test.each(hostIds)('%s: an exported server is imported unchanged, and both can be repeated', async (host) => {
  const { write, to, from, read } = newContext({ KEY: 'key-value', TOKEN: 'token-value' });
  write('mcp.json', { mcpServers: { one: command, two: remote } });
  const expands = expanding.includes(host);
  const names = host === 'claude-desktop' ? ['one'] : ['one', 'two'];
  const { changed, servers } = await to(host, { names, reveal: !expands });
  const shown = expands ? {} : { secrets: ['values of variables'] };
  expect(servers).toEqual(names.map((name) => ({ name, outcome: 'added', ...shown })));
  const text = readFileSync(changed.file, 'utf8');
  for (const value of ['key-value', 'token-value'])
    expect(text.includes(value)).toBe(!expands && names.length > Number(value === 'token-value'));

  await from(host, 'copy.json');
  const { mcpServers: copy } = JSON.parse(read('copy.json'));
  const expected: Record<string, PlainEntry> = expands
    ? { one: command, two: remote }
    : {
        one: { ...command, env: { KEY: 'key-value', MODE: 'a b' } },
        two: { ...remote, headers: { Authorization: 'Bearer token-value', Name: 'x' } },
      };
  for (const name of names) expect([copy[name], isSameEntry(copy[name], expected[name]!)]).toEqual([copy[name], true]);
  expect(Object.keys(copy)).toEqual(names);

  expect((await from(host, 'copy.json')).servers.every(({ outcome }) => outcome === 'already')).toBe(true);
  const again = await to(host, { names, reveal: !expands });
  expect(again.servers).toEqual(names.map((name) => ({ name, outcome: 'already' })));
  expect(again.changed.after).toBe(text);
  expect(readFileSync(changed.file, 'utf8')).toBe(text);
});

test('does not write a secret if the host does not expand variables, and creates no file', async () => {
  const { write, to, home } = newContext({ KEY: 'key-value' });
  write('mcp.json', {
    mcpServers: {
      one: command,
      far: remote,
      off: { command: 'x', disabled: true },
      lite: { command: 'x', protocol: 'litemcp' },
    },
  });
  const { servers, changed } = await to('claude-desktop');
  expect(servers).toEqual([
    { name: 'one', outcome: 'refused', reason: expect.stringContaining('does not expand KEY') },
    { name: 'far', outcome: 'refused', reason: expect.stringContaining('no remote servers') },
    { name: 'off', outcome: 'refused', reason: expect.stringContaining('cannot disable') },
    { name: 'lite', outcome: 'refused', reason: expect.stringContaining('protocol') },
  ]);
  expect([changed.after, existsSync(dirname(changed.file))]).toEqual(['', false]);
  const unset = newContext();
  await expect(unset.to('zed')).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
  unset.write('mcp.json', { mcpServers: { one: command } });
  expect((await unset.to('zed', { reveal: true })).servers).toMatchObject([
    { outcome: 'refused', reason: 'KEY has no value' },
  ]);

  unset.write('mcp.json', { mcpServers: { 'a b': { command: 'x' } } });
  expect((await unset.to('codex')).servers).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('name') },
  ]);

  const connect = (name: string) => ({ command: 'standpipe', args: ['connect', name] });
  const connected = await to('claude-desktop', { connect });
  expect(connected.servers.map(({ outcome }) => outcome)).toEqual(['added', 'added', 'added', 'added']);
  expect(connected.changed.file.startsWith(home)).toBe(true);
  expect(JSON.parse(connected.changed.after).mcpServers.far).toEqual(connect('far'));
});

test('names unsupported keys, resolves folders, and makes relative paths absolute', async () => {
  const { write, to, cwd, home } = newContext();
  write('mcp.json', {
    mcpServers: {
      one: {
        command: '${userHome}/bin/x',
        args: ['${workspaceFolder}', '${A:-b}', '$${C}'],
        cwd: 'sub',
        restart: 'never',
        share: 'client',
      },
    },
  });
  const { changed, servers } = await to('claude-code');
  expect(servers).toEqual([{ name: 'one', outcome: 'added', lost: ['restart', 'share'] }]);
  expect(JSON.parse(changed.after).mcpServers.one).toMatchObject({
    command: `${home}/bin/x`,
    args: [cwd, '${A:-b}', '$${C}'],
    cwd: join(cwd, 'sub'),
  });
  expect((await to('cursor')).servers).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('A') }]);
});

const literal = {
  github: {
    command: 'npx',
    args: ['-y', 'gh', '--api-key', 'value-in-argument-1'],
    env: { GITHUB_TOKEN: 'value-in-env', MODE: 'fast', OTHER: '${OTHER}' },
  },
  far: { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer value-in-header', Accept: 'text/html' } },
};

test.skipIf(process.platform === 'win32')(
  'does not copy secrets of a private file into one that other users can read, unless requested',
  async () => {
    const { write, from, read, home, cwd } = newContext();
    mkdirSync(join(home, '.cursor'));
    const source = join(home, '.cursor/mcp.json');
    writeFileSync(source, JSON.stringify({ mcpServers: { ...literal, plain: { command: 'x' } } }), { mode: 0o600 });
    const target = write('mcp.json', { mcpServers: {} });
    chmodSync(target, 0o644);
    const refused = (await from('cursor', 'mcp.json')).servers;
    expect(refused).toMatchObject([
      { name: 'github', outcome: 'refused', reason: expect.stringContaining('(GITHUB_TOKEN, an argument)') },
      { name: 'far', outcome: 'refused', reason: expect.stringContaining('(mode 0644)') },
      { name: 'plain', outcome: 'added' },
    ]);
    expect(read('mcp.json')).not.toContain('value-in');
    // A new file is readable only by its owner, and a file with the same readers gets the secrets.
    const secrets = { github: ['GITHUB_TOKEN', 'an argument'], far: ['the header Authorization'] };
    const created = (await from('cursor', 'new.json')).servers;
    expect(created.slice(0, 2)).toMatchObject(Object.entries(secrets).map(([name, each]) => ({ name, secrets: each })));
    expect(statSync(join(cwd, 'new.json')).mode & 0o777).toBe(0o600);
    chmodSync(source, 0o644);
    expect((await from('cursor', 'mcp.json', { dryRun: true })).servers).toMatchObject([{ outcome: 'added' }, {}, {}]);
    chmodSync(source, 0o640);
    expect((await from('cursor', 'mcp.json', { dryRun: true })).servers[0]).toMatchObject({ outcome: 'refused' });
    chmodSync(source, 0o600);
    const told = await from('cursor', 'mcp.json', { secrets: 'copy' });
    expect(told.servers.map(({ outcome }) => outcome)).toEqual(['added', 'added', 'already']);
    expect((await from('cursor', 'mcp.json')).servers.map(({ outcome }) => outcome)).toEqual(Array(3).fill('already'));
    expect(statSync(target).mode & 0o777).toBe(0o644);
  },
);

test('secrets become references: variables, or inputs of VS Code', async () => {
  const { write, from, to, read } = newContext();
  write('.cursor/mcp.json', { mcpServers: literal });
  const imported = await from('cursor', 'copy.json', { secrets: 'reference' });
  expect(imported.servers).toMatchObject([
    { references: ['GITHUB_TOKEN', 'GITHUB_SECRET'] },
    { references: ['FAR_TOKEN'] },
  ]);
  expect(JSON.parse(read('copy.json')).mcpServers).toEqual({
    github: {
      command: 'npx',
      args: ['-y', 'gh', '--api-key', '${GITHUB_SECRET}'],
      env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', MODE: 'fast', OTHER: '${OTHER}' },
    },
    far: { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${FAR_TOKEN}', Accept: 'text/html' } },
  });
  write('mcp.json', { mcpServers: literal });
  write('.vscode/mcp.json', {});
  await to('vscode', { secrets: 'reference' });
  const { servers, inputs } = JSON.parse(read('.vscode/mcp.json'));
  expect(servers.github.env.GITHUB_TOKEN).toBe('${input:GITHUB_TOKEN}');
  expect(servers.far.headers.Authorization).toBe('Bearer ${input:FAR_TOKEN}');
  expect(inputs.map(({ id }: { id: string }) => id)).toEqual(['GITHUB_TOKEN', 'GITHUB_SECRET', 'FAR_TOKEN']);
  expect(inputs[0]).toMatchObject({ type: 'promptString', password: true });
  expect((await to('claude-desktop', { names: ['github'], secrets: 'reference' })).servers).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('does not expand') },
  ]);
});

test('references in an imported entry are defined in the inputs of a config of VS Code', async () => {
  const { write, from, read } = newContext();
  write('.cursor/mcp.json', { mcpServers: literal });
  write('.vscode/mcp.json', { inputs: [], servers: {} });
  const { changed } = await from('cursor', '.vscode/mcp.json', { secrets: 'reference' });
  const { servers, inputs } = JSON.parse(read('.vscode/mcp.json'));
  expect(servers.github.env.GITHUB_TOKEN).toBe('${input:GITHUB_TOKEN}');
  expect(inputs.map(({ id }: { id: string }) => id)).toEqual(['GITHUB_TOKEN', 'GITHUB_SECRET', 'FAR_TOKEN']);
  expect(changed.problems.map(({ message }) => message)).not.toContain('Input "GITHUB_TOKEN" is not in "inputs"');
});

test('copies the inputs of VS Code in both directions', async () => {
  const { write, from, read, to } = newContext();
  const inputs = [
    { id: 'token', type: 'promptString', password: true },
    { id: 'other', type: 'promptString' },
  ];
  write('.vscode/mcp.json', {
    inputs,
    servers: { one: { type: 'http', url: 'https://a', headers: { A: '${input:token}' } } },
  });
  await from('vscode', 'mcp.json');
  expect(JSON.parse(read('mcp.json'))).toEqual({
    mcpServers: { one: { type: 'http', url: 'https://a', headers: { A: '${input:token}' } } },
    inputs: [inputs[0]],
  });
  await from('vscode', 'other.toml');
  expect(read('other.toml')).toContain('A = "${input:token}"');
  write('.vscode/mcp.json', '// mine\n{}\n');
  await to('vscode');
  expect(read('.vscode/mcp.json')).toContain('// mine');
  expect(JSON.parse(read('.vscode/mcp.json').slice(8))).toMatchObject({
    inputs: [inputs[0]],
    servers: { one: { url: 'https://a' } },
  });
  expect((await to('windsurf')).servers).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('token') },
  ]);
});

test('reports and keeps existing names, and an invalid entry does not stop the others', async () => {
  const { write, from, read, own, context } = newContext();
  write('.cursor/mcp.json', {
    mcpServers: { a: { command: 'new' }, bad: { command: 5 }, b: { url: 'https://b' }, c: { command: 'c' } },
  });
  write('mine.json', '{"mcpServers": {"a": {"command": "old"}, "c": {"command": "c"}}}');
  const first = await from('cursor', 'mine.json');
  expect(first.servers).toEqual([
    { name: 'a', outcome: 'exists' },
    { name: 'bad', outcome: 'refused', reason: expect.stringContaining('"command" must be a string') },
    { name: 'b', outcome: 'added' },
    { name: 'c', outcome: 'already' },
  ]);
  expect(JSON.parse(read('mine.json')).mcpServers.a).toEqual({ command: 'old' });
  const forced = await from('cursor', 'mine.json', { names: ['a'], force: true });
  expect(forced.servers).toEqual([{ name: 'a', outcome: 'replaced' }]);
  expect(JSON.parse(read('mine.json')).mcpServers.a).toEqual({ command: 'new' });
  await expect(from('cursor', 'mine.json', { names: ['d'] })).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  const same = exportServers(own('.cursor/mcp.json'), placeToWrite('cursor', undefined, context), {
    names: [],
    context,
  });
  await expect(same).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});
