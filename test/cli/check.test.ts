// `standpipe check` as a process: what it prints, writes and exits with. The formats themselves are tested in test/check.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folder, type Ran, runCli, runOnTerminal, writeConfig } from './run-cli.ts';

const server = fileURLToPath(new URL('../fixtures/check/server.mjs', import.meta.url));
const correct = ['--', process.execPath, server];
const wrong = [...correct, 'prints-a-banner', 'wire'];
const cheap = ['--rule', 'lifecycle/opens', '--rule', 'wire/only-messages', '--revision', '2025-11-25'];

test.concurrent('a server that follows the rules exits with 0, a violation with 1; --junit and --html write files', async () => {
  const [junit] = ['check.xml'].map((name) => join(folder, name));
  const good = await runCli(['check', ...cheap, ...correct]);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^2 rules: 2 passed/m);
  const bad = await runCli(['check', ...cheap, '--junit', junit!, ...wrong]);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^ {2}✗ wire\/only-messages/m);
  expect(bad.stdout).toMatch(/^ {2}fix: Log with console\.error/m);
  expect(readFileSync(junit!, 'utf8')).toContain('name="wire/only-messages (2025-11-25)"');
});

test.concurrent('a server of the config is started as its entry says, and its secrets are masked', async () => {
  const file = join(folder, 'chatty.mjs');
  writeFileSync(file, `console.log('key is ' + process.env.API_KEY);\nawait import(${JSON.stringify(server)});\n`);
  const config = writeConfig('check.json', {
    chatty: { command: process.execPath, args: [file], env: { API_KEY: 'hunter2-hunter2' } },
    remote: { url: 'https://example.org/mcp' },
  });
  const html = join(folder, 'secret.xml');
  const text = await runCli(['check', 'chatty', '--config', config, ...cheap, '--verbose', '--junit', html]);
  expect(text.code).toBe(1);
  expect(text.stdout).toContain('← key is ');
  const json = await runCli(['check', 'chatty', '--config', config, '--json', ...cheap]);
  const report = JSON.parse(json.stdout);
  expect(report).toMatchObject({ role: 'server', revisions: ['2025-11-25'], counts: { failed: 1 } });
  for (const output of [text.stdout, text.stderr, json.stdout, readFileSync(html, 'utf8')]) {
    expect(output).not.toContain('hunter2');
  }
  const remote = await runCli(['check', 'remote', '--config', config]);
  expect(remote).toMatchObject({ code: 2, stderr: expect.stringContaining('@modelcontextprotocol/conformance') });
  const unknown = await runCli(['check', 'chaty', '--config', config]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('chatty') });
});

test.concurrent.each<[string, string[], number, string]>([
  ['no server', [], 2, 'No server was given'],
  ['a URL', ['https://example.org/mcp'], 2, 'remote server'],
  ['a command that does not exist', ['--', 'no-such-command-here'], 3, 'Cannot find the command'],
  ['an unknown rule', ['--rule', 'wire/nothing', ...correct], 2, 'There is no rule or family "wire/nothing"'],
  ['an unknown revision', ['--revision', '2020-01-01', ...correct], 2, 'not a revision'],
  ['arguments that are not JSON', ['--allow-calls', 'echo={', ...correct], 2, '--allow-calls cannot be "echo={"'],
  ['a folder that does not exist', ['--junit', 'nowhere/x.xml', ...correct], 2, '--junit cannot be "nowhere/x.xml"'],
  ['two servers', ['one', ...correct], 2, 'check takes one server'],
])('%s is an error that says what to do', async (_what, args, code, message) => {
  const ran: Ran = await runCli(['check', ...args]);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).toMatch(/^hint: /m);
});

test.concurrent('--list names the rules, of one family too', async () => {
  const { stdout } = await runCli(['check', '--list', '--only', 'wire']);
  expect(stdout).toMatch(/^wire\/only-messages\tMUST\tall\tstdout carries only messages$/m);
  expect(stdout).not.toMatch(/^lifecycle/m);
  const { rules } = JSON.parse((await runCli(['check', '--list', '--json'])).stdout);
  expect(rules[0]).toMatchObject({ id: 'lifecycle/opens', level: 'MUST', link: expect.stringMatching(/^https:/) });
});

test.concurrent('on a narrow terminal the report fits, in colours', async () => {
  const { stdout } = await runOnTerminal(['check', ...cheap, ...wrong], { columns: 40 });
  expect(stdout).toContain('\x1b[31m✗\x1b[39m');
});
