// `add`, `remove`, `import` and `export` as processes.

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConnectArguments } from '../../src/app/cli/connect/connect-arguments.ts';
import { shellWord } from '../../src/base/command-line.ts';
import { lacks } from '../fixtures/windows.ts';
import { configFolder, everything, folder, runCli } from './run-cli.ts';

const cwd = join(folder, 'project');
mkdirSync(cwd);
const here = (...args: string[]) => runCli(args, { cwd });
const config = join(cwd, 'mcp.json');
const read = () => readFileSync(config, 'utf8');

test('adds, uses and removes a server', async () => {
  const added = await here('add', 'everything', ...everything);
  expect(added).toMatchObject({ code: 0, stdout: '' });
  expect(added.stderr).toBe(`everything: added\nCreated ${config}\nNext: standpipe tools everything\n`);
  const tools = await here('tools', 'everything', '--json');
  expect(JSON.parse(tools.stdout).tools.length).toBeGreaterThan(0);
  const before = read();

  const again = await here('add', 'everything', 'https://example.org', '--json');
  expect(again.code).toBe(2);
  expect(JSON.parse(again.stdout).error).toMatchObject({
    code: 'DUPLICATE_NAME',
    hint: expect.stringContaining('--force'),
  });

  const shown = await here(
    'add',
    'tickets',
    'https://example.org/mcp',
    '--header',
    'Authorization: Bearer abcdef123',
    '--dry-run',
  );
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining("'Authorization: Bearer ${SOME_VARIABLE}'") });
  expect(shown.stdout).toContain('+      "url": "https://example.org/mcp",');
  expect(shown.stdout + shown.stderr).not.toContain('abcdef123');
  expect(read()).toBe(before);

  const forced = await here('add', 'everything', '--env', 'KEY', '--force', '--json', '--', 'node', 'x.mjs');
  expect(JSON.parse(forced.stdout)).toMatchObject({
    file: config,
    created: false,
    servers: [{ name: 'everything', outcome: 'replaced' }],
    backup: `${config}.before-edit`,
    warnings: [expect.stringContaining('Variable KEY is not set')],
    next: 'standpipe tools everything',
  });

  expect((await here('rm', 'everithing')).stderr).toContain('Did you mean "everything"?');
  expect(await here('remove', 'everything')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^everything: removed\n/),
  });
  expect(JSON.parse(read())).toEqual({ mcpServers: {} });
});

test('explains a command without --, and edits the config of the user with --user', async () => {
  const without = await here('add', 'files', 'npx', '-y', 'some-server');
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('standpipe add <name> -- <command …>') });
  const user = join(configFolder, 'standpipe', 'mcp.json');
  const ofUser = await here('add', 'mine', '--user', '--cwd', 'sub', '--', 'node', 'x.mjs');
  expect(ofUser.stderr).toContain(`Next: standpipe tools mine --config ${shellWord(user)}`);
  expect(JSON.parse(readFileSync(user, 'utf8')).mcpServers.mine.cwd).toBe(join(cwd, 'sub'));
  const elsewhere = await runCli(['config', '--json'], { cwd: configFolder });
  expect(JSON.parse(elsewhere.stdout).files).toMatchObject([{ file: user, origin: 'user', servers: ['mine'] }]);
  expect(existsSync(`${user}.before-edit`)).toBe(false);
});

test('exports servers to another host and imports them again', async () => {
  const file = join(folder, 'ours.json');
  const entry = { command: process.execPath, args: ['x.mjs'], env: { EDIT_KEY: '${EDIT_KEY}' }, restart: 'never' };
  writeFileSync(file, JSON.stringify({ mcpServers: { files: entry } }));
  const refused = await here('export', 'claude-desktop', '--config', file);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('files: not written: Claude Desktop does not expand EDIT_KEY');
  expect(refused.stderr).toContain('--connect');
  const desktop = join(configFolder, 'Claude', 'claude_desktop_config.json');
  expect(existsSync(desktop)).toBe(false);

  const env = { EDIT_KEY: 'very-secret-value' };
  const shown = await runCli(['export', 'claude-desktop', '--reveal', '--dry-run', '--json', '--config', file], {
    cwd,
    env,
  });
  expect(shown.stdout + shown.stderr).not.toContain('very-secret-value');
  expect(JSON.parse(shown.stdout)).toMatchObject({
    dryRun: true,
    servers: [{ name: 'files', outcome: 'added', lost: ['restart'] }],
  });

  await here('export', 'claude-desktop', '--connect', '--config', file);
  const { args } = JSON.parse(readFileSync(desktop, 'utf8')).mcpServers.files;
  expect(parseConnectArguments(args.slice(args.indexOf('connect') + 1))).toMatchObject({
    settings: { config: file },
    use: { server: 'files' },
  });

  const exported = await here('export', 'codex', 'files', '--config', file);
  expect(exported.stderr).toContain('files: added\nfiles: without restart, which the host does not support\n');
  expect(exported.stderr).toContain('Restart Codex to apply the change.');
  const imported = await here('import', 'codex', '--json', '--config', join(folder, 'back.json'));
  expect(JSON.parse(imported.stdout)).toMatchObject({
    from: [join(folder, '.codex', 'config.toml')],
    created: true,
    servers: [{ name: 'files', outcome: 'added' }],
  });
  const { restart: _, ...known } = entry;
  expect(JSON.parse(readFileSync(join(folder, 'back.json'), 'utf8')).mcpServers.files).toEqual({
    ...known,
    env: { EDIT_KEY: '${EDIT_KEY:-}' }, // Codex passes only variables that are set
  });
});

test('an export to the scope of the user warns of relative paths and unset variables', async () => {
  const file = join(folder, 'relative.json');
  writeFileSync(join(folder, 'relative.mjs'), '');
  const local = { command: 'node', args: ['relative.mjs', '--port'], env: { A: '${EDIT_NOT_SET}' } };
  writeFileSync(file, JSON.stringify({ mcpServers: { local } }));
  const words = ['export', 'gemini', '--scope', 'user', '--dry-run', '--config', file];
  const { stderr } = await here(...words);
  expect(stderr).toContain('local: the host may start it in another folder; write the full path of relative.mjs\n');
  expect(stderr).toContain('EDIT_NOT_SET is not set. Gemini CLI needs it in its own environment.');
  expect(JSON.parse((await here(...words, '--json')).stdout).servers).toMatchObject([{ relative: ['relative.mjs'] }]);
});

test('a dry run hides secrets in arguments, but shows references', async () => {
  const file = join(folder, 'arguments.json');
  const args = ['--api-key', '${EDIT_KEY}', '--token=${EDIT_TOKEN}', '--password', 'very-secret-value'];
  writeFileSync(file, JSON.stringify({ mcpServers: { keyed: { command: 'keyed', args } } }));
  const { stdout } = await here('export', 'cursor', '--dry-run', '--config', file);
  expect(stdout).toContain('${env:EDIT_KEY}');
  expect(stdout).toContain('--token=${env:EDIT_TOKEN}');
  expect(stdout).not.toContain('very-secret-value');
});

test('does not recommend references for a host that does not expand variables', async () => {
  const file = join(folder, 'keys.json');
  const url = 'https://me:hunter2-hunter2@127.0.0.1/mcp?api_key=hunter3-hunter3';
  const keyed = { command: 'keyed', env: { API_TOKEN: 'hunter2-hunter2' } };
  writeFileSync(file, JSON.stringify({ mcpServers: { keyed, remote: { url } } }), { mode: 0o600 });
  const to = (host: string, ...words: string[]) => here('export', host, '--dry-run', '--config', file, ...words);
  const refused = (await to('claude-desktop', 'keyed', '--secrets', 'reference')).stderr;
  expect(refused).toContain('keyed: not written: Claude Desktop does not expand API_TOKEN, so references cannot');
  expect(refused).toContain('use --connect');
  expect(refused).not.toContain('--reveal');
  const copied = (await to('claude-desktop', 'keyed')).stderr;
  expect(copied).toContain('API_TOKEN. To keep them out of the file, use --connect, which keeps them in the config');
  for (const host of ['codex', 'opencode', 'continue']) {
    expect((await to(host, 'keyed')).stderr).toContain('To keep them out of the file, write references with --secrets');
  }
  expect((await to('cursor', 'remote')).stderr).toMatch(
    /in plain text in .*: the url\. To keep .* --secrets reference\./,
  );
});

test('share install accepts the names of several servers', async () => {
  const file = join(folder, 'three.json');
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } } }),
  );
  const shared = await here('share', 'install', file, 'a', 'c');
  expect(shared).toMatchObject({ code: 0, stdout: 'a\tshared\nc\tshared\n' });
});

test.skipIf(lacks.fileModes)(
  'import and export report copied secrets, and never make them readable to more users',
  async () => {
    const cwd = join(folder, 'secret project');
    mkdirSync(join(cwd, '.vscode'), { recursive: true });
    const source = join(cwd, 'old.json');
    const server = { command: 'node', env: { API_TOKEN: 'hunter2-hunter2' } };
    writeFileSync(source, JSON.stringify({ mcpServers: { weather: server } }), { mode: 0o600 });
    const run = (...words: string[]) => runCli(words, { cwd });
    const created = await run('import', source);
    expect(created).toMatchObject({ code: 0 });
    const file = join(cwd, 'mcp.json');
    expect(created.stderr).toContain(`warning: "weather" has secrets in plain text in ${file}: API_TOKEN.`);
    expect(created.stderr).toContain(`${file} belongs to the project: do not commit it with secrets.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const shared = join(cwd, '.vscode/mcp.json');
    writeFileSync(shared, '{}');
    chmodSync(shared, 0o644);
    const refused = await run('export', 'vscode', '--scope', 'project');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      'weather: not written: other users of this machine could read its secrets (API_TOKEN)',
    );
    expect(refused.stderr).toContain(`Run \`chmod 600 ${shellWord(shared)}\`, or`);
    expect(readFileSync(shared, 'utf8')).toBe('{}');
    const references = await run('export', 'vscode', '--scope', 'project', '--secrets', 'reference');
    expect(references).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('weather: secrets were replaced by inputs; the host prompts for them: API_TOKEN'),
    });
    expect(readFileSync(shared, 'utf8')).toContain('"${input:API_TOKEN}"');
    expect(readFileSync(shared, 'utf8')).not.toContain('hunter2');
    const copied = await run('export', 'vscode', '--scope', 'project', '--secrets', 'copy', '--force');
    expect(copied.stderr).toContain(`Other users of this machine can read ${shared} (mode 0644). Run: chmod 600 `);
    expect(readFileSync(shared, 'utf8')).toContain('hunter2');

    chmodSync(file, 0o644);
    const added = await run('add', 'x', '--', 'node', 'x.js', '--token', 'hunter3-hunter3');
    expect(added.stderr).toContain("Write '${SOME_VARIABLE}' in place of the secret in the command");
    expect(added.stderr).toContain(`Other users of this machine can read ${file} (mode 0644).`);
    chmodSync(file, 0o600);
    await run('add', 'y', '--', 'node', 'y.js');
    expect(statSync(`${file}.before-edit`).mode & 0o777).toBe(0o600);
  },
);
