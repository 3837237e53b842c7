// Common mistakes, and the hints that correct them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/base/command-line.ts';
import { connect } from '../../src/entry/client.ts';
import { calculatorEntry, everything, fixturePath, folder, runCli } from './run-cli.ts';

test.each(['install', 'uninstall'])('tap %s on a file without servers reports the missing key', async (verb) => {
  const file = join(folder, 'no-servers.json');
  writeFileSync(file, '{"mcpServer": {"a": {"command": "x"}}}');
  const { code, stderr } = await runCli(['tap', verb, file]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${file}:1:1: There is no "mcpServers"\nhint: Write {"mcpServers": `);
});

test('tap install reports invalid JSON like config', async () => {
  const file = join(folder, 'broken.json');
  writeFileSync(file, '{"mcpServers": {\n  "a": {"command" "x"}}}');
  const said = (await runCli(['config', '--config', file])).stderr.match(/broken\.json:\d+:\d+: Not JSON: [^.]*/)![0];
  expect(await runCli(['tap', 'install', file])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test('suggests LiteMCP for a server that does not answer', async () => {
  const { command, args } = calculatorEntry;
  const { code, stderr } = await runCli(['tools', '--timeout', '2500', '--', command, ...args]);
  expect(code).toBe(4);
  expect(stderr).toContain('--litemcp');
  expect(stderr).toContain('"protocol": "litemcp"');
});

test.each([
  ['127.0.0.1:3000/mcp', 'write http://127.0.0.1:3000/mcp'],
  ['htps://example.com/mcp', 'begins with https:// or http://'],
])('suggests a URL for %s', async (word, hint) => {
  const file = join(folder, 'nearly-a-url.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { one: { command: 'node' } } }));
  const { code, stderr } = await runCli(['tools', word, '--config', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('hint: There are: one. ');
  expect(stderr).toContain(hint);
});

test('reports a command that echoes its input', async () => {
  const { code, stderr } = await runCli(['tools', '--', process.execPath, '-e', 'process.stdin.pipe(process.stdout)']);
  expect(code).toBe(5);
  expect(stderr).toContain('the command echoes its input');
});

test('refuses the name of a server before --', async () => {
  const { code, stderr } = await runCli(['call', 'everything', 'greet', 'name=x', ...everything]);
  expect(code).toBe(2);
  expect(stderr).toContain('do not name a server: standpipe call greet');
});

test('suggests a URI for a misspelled one', async () => {
  const { stderr } = await runCli(['read', 'doc://raedme', ...everything]);
  expect(stderr).toContain('Did you mean "doc://readme"?');
});

test.each([['node'], [undefined], [null]])('connect(%j) reports the accepted values', async (target) => {
  await expect(connect(target as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: 'connect() takes a command, a url, a transport, or a function that makes one',
    hint: expect.stringContaining('command:'),
  });
});

test.each([
  ['serve', 'Did you mean "up" ('],
  ['status', 'Did you mean "ls" ('],
  ['install', 'Did you mean "add" ('],
  ['reed', 'Did you mean "read" ('],
  ['version', 'Did you mean "--version"?'],
  ['token lst', 'Did you mean "ls" ('],
  ['zzz', '`standpipe --help` lists the commands.'],
  ['ls --wide', '`standpipe ls --help` shows its arguments and options.'],
  ['tools --signature', 'Did you mean "--signatures"?'],
  ['token add x --expire 5', 'Did you mean "--expires"?'],
  ['add x --usr y', 'Did you mean "--user"?'],
])('%s gets the hint: %s', async (line, hint) => {
  const { code, stderr } = await runCli(line.split(' '));
  expect(code).toBe(2);
  expect(stderr.split('\n')[1]).toContain(`hint: ${hint}`);
});

test.each([
  [['call', 'weather', 'forecast', '--city', 'Oslo'], 'Arguments of a tool are written without dashes: city=Oslo'],
  [
    ['call', 'forecast', '--city=New York'],
    `Arguments of a tool are written without dashes: ${shellWord('city=New York')}`,
  ],
  [['call', 'forecast', '--force', 'city=Oslo'], 'Arguments of a tool are written without dashes: force=true'],
  [['prompt', 'docs', 'review', '--style', 'short'], 'Arguments of a prompt are written without dashes: style=short'],
  [['call', 'forecast', '--jso'], 'Did you mean "--json"? Arguments of a tool are written without dashes: jso=true'],
])('explains dashes before arguments of a tool: %j', async (words, hint) => {
  const { code, stderr } = await runCli(words);
  expect(code).toBe(2);
  expect(stderr).toContain(`hint: ${hint}\n`);
});

test('the hint explains how to pass on a variable that the server lacks', async () => {
  const script = "if (!process.env.MY_API_KEY) { console.error('MY_API_KEY is not set'); process.exit(1); }";
  const server = ['--', process.execPath, '-e', script];
  const hint = '--env MY_API_KEY, written before the --';
  const env = { MY_API_KEY: 'hunter2-hunter2' };
  expect((await runCli(['tools', ...server], { env })).stderr).toContain(hint);
  expect((await runCli(['tools', ...server])).stderr).not.toContain('--env');
  expect((await runCli(['tools', '--env', 'MY_API_KEY', ...server], { env })).stderr).not.toContain(hint);
  const file = join(folder, 'needs-a-key.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { needs: { command: process.execPath, args: ['-e', script] } } }));
  const ofConfig = await runCli(['tools', 'needs', '--config', file], { env });
  expect(ofConfig.stderr).toContain('in a config, add it to "env" of the server with the value ${MY_API_KEY}');
});

test('a call that fails for a missing variable gets the same hint', async () => {
  const needs = ['--', process.execPath, fixturePath('needs-a-variable.mjs')];
  const env = { MY_API_KEY: 'hunter2-hunter2' };
  const hint = '--env MY_API_KEY, written before the --';
  for (const tool of ['reports', 'refuses']) {
    expect((await runCli(['call', tool, ...needs], { env })).stderr).toContain(hint);
    expect((await runCli(['call', tool, ...needs])).stderr).not.toContain('--env');
  }
  expect(await runCli(['call', 'reports', '--env', 'MY_API_KEY', ...needs], { env })).toMatchObject({
    code: 0,
    stdout: 'has it\n',
  });
  const { hint: inJson } = JSON.parse((await runCli(['call', 'reports', '--json', ...needs], { env })).stdout);
  expect(inJson).toContain(hint);
});

test.each([
  [['help', 'chek'], 'error: Unknown command \'chek\'\nhint: Did you mean "check" ('],
  [['help', 'nosuch'], "error: Unknown command 'nosuch'\nhint: `standpipe --help` lists the commands."],
  [['logs', '--tail', 'x'], 'error: --tail cannot be "x"\nhint: Write an integer above 0.'],
  [['token', 'add', 'a', '--sessions', '0'], 'error: --sessions cannot be "0"'],
  [['logs', '--since', 'x'], '30s, 2m, 2h.'],
])('%j fails with an error that names the word', async (words, said) => {
  expect(await runCli(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
});

test('a dry run shows tabs as they are', async () => {
  const file = join(folder, 'tabs.json');
  writeFileSync(file, '{\n\t"mcpServers": {\n\t\t"a": { "command": "x" },\n\t\t"b": { "command": "y" }\n\t}\n}\n');
  const { stdout } = await runCli(['rm', 'b', '--dry-run', '--config', file]);
  expect(stdout).toContain('-\t\t"b": { "command": "y" }');
});
