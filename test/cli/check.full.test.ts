// `standpipe check` as a process: its output, files and exit codes. The formats themselves are tested in test/check.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { textWidth } from '../../src/base/terminal/text-width.ts';
import { hasTerminal } from '../fixtures/python.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import {
  calculatorEntry,
  finished,
  folder,
  pidsIn,
  runOnTerminal,
  spawnCli,
  startCli,
  writeConfig,
} from './run-cli.ts';

const server = fileURLToPath(new URL('../fixtures/check/server.mjs', import.meta.url));
const correct = ['--', process.execPath, server];
const wrong = [...correct, 'prints-a-banner', 'wire'];
const cheap = ['--rule', 'lifecycle/opens', '--rule', 'wire/only-messages', '--revision', '2025-11-25'];

test.concurrent('a server that follows the rules exits with 0, a violation with 1; --junit and --html write files', async () => {
  const [junit, html] = [join(folder, 'check.xml'), join(folder, 'check.html')];
  const good = await spawnCli(['check', ...cheap, ...correct]);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^2 rules: 2 passed/m);
  const bad = await spawnCli(['check', ...cheap, '--junit', junit, '--html', html, ...wrong]);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^✗ wire\/only-messages/m);
  expect(bad.stdout).toMatch(/^ {2}fix: Log with console\.error/m);
  expect(bad.stderr).toBe(`Saved ${junit}\nSaved ${html}\n`);
  expect(readFileSync(junit, 'utf8')).toContain('name="wire/only-messages (2025-11-25)"');
  expect(readFileSync(html, 'utf8')).toContain('Server is ready');
});

test.concurrent('the id of a removed rule does not fail a check', async () => {
  const removed = 'lifecycle/answers-at-the-end';
  const skipped = await spawnCli(['check', ...cheap, '--skip', removed, ...correct]);
  expect(skipped).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(`^warning: The rule ${removed} was removed`),
  });
  expect(skipped.stdout).toMatch(/^2 rules: 2 passed/m);
  expect(await spawnCli(['check', '--rule', removed, ...correct])).toMatchObject({ code: 0 });
});

test.concurrent('a server of the config is started by its entry, and its secrets are masked', async () => {
  const file = join(folder, 'chatty.mjs');
  writeFileSync(
    file,
    `console.log('key is ' + process.env.API_KEY);\nawait import(${JSON.stringify(pathToFileURL(server))});\n`,
  );
  const config = writeConfig('check.json', {
    chatty: { command: process.execPath, args: [file], env: { API_KEY: 'hunter2-hunter2' } },
    remote: { url: 'https://example.org/mcp' },
  });
  const files = [join(folder, 'secret.xml'), join(folder, 'secret.html')];
  const saved = ['--junit', files[0]!, '--html', files[1]!];
  const text = await spawnCli(['check', 'chatty', '--config', config, ...cheap, '--verbose', ...saved]);
  expect(text.code).toBe(1);
  expect(text.stdout).toContain('← key is ');
  const json = await spawnCli(['check', 'chatty', '--config', config, '--json', ...cheap]);
  const report = JSON.parse(json.stdout);
  expect(report).toMatchObject({ role: 'server', revisions: ['2025-11-25'], counts: { failed: 1 } });
  for (const output of [text.stdout, text.stderr, json.stdout, ...files.map((file) => readFileSync(file, 'utf8'))]) {
    expect(output).not.toContain('hunter2');
  }
  const remote = await spawnCli(['check', 'remote', '--config', config]);
  expect(remote).toMatchObject({ code: 2, stderr: expect.stringContaining('@modelcontextprotocol/conformance') });
  const unknown = await spawnCli(['check', 'chaty', '--config', config]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('chatty') });
});

// Texts of errors are tested in src/app/cli/run-command.test.ts.
test.concurrent('a command that does not exist is an error with a remedy', async () => {
  const ran = await spawnCli(['check', '--', 'no-such-command-here']);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toMatch(/^error: Cannot find the command .*\n(?:.*\n)*hint: /);
});

test.concurrent('--list names all rules, or those of one family', async () => {
  const { stdout } = await spawnCli(['check', '--list', '--only', 'wire']);
  expect(stdout).toMatch(/^wire\/only-messages\tMUST\tall\tmust write only messages to stdout$/m);
  expect(stdout).not.toMatch(/^lifecycle/m);
  const ofTwoLevels = await spawnCli(['check', '--list', '--rule', 'methods/cursors-are-accepted']);
  expect(ofTwoLevels.stdout).toMatch(/^methods\/cursors-are-accepted\tMUST \(SHOULD until 2025-11-25\)\tall\t/m);
  const { rules } = JSON.parse((await spawnCli(['check', '--list', '--json'])).stdout);
  expect(rules[0]).toMatchObject({ id: 'lifecycle/opens', level: 'MUST', link: expect.stringMatching(/^https:/) });
});

test.concurrent('a violated SHOULD is a warning, and fails the check with --strict', async () => {
  const args = ['--rule', 'methods/unknown-prompts-are-refused', '--revision', '2025-11-25'];
  const server = [...correct, 'gives-an-unknown-prompt', 'methods-resources'];
  const [usual, strict] = await Promise.all([
    spawnCli(['check', ...args, ...server]),
    spawnCli(['check', '--strict', ...args, ...server]),
  ]);
  expect(usual).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 rule: 0 passed, 1 warning/m) });
  expect(strict).toMatchObject({ code: 1, stdout: expect.stringMatching(/^1 rule: 0 passed, 1 warning/m) });
});

test.concurrent('violated advice is shown, and does not fail the check with --strict', async () => {
  const server = [...correct, 'dies-of-headers', 'robustness'];
  const args = ['check', '--strict', '--rule', 'robustness/garbage-text', '--revision', '2025-11-25'];
  const [text, json] = await Promise.all([spawnCli([...args, ...server]), spawnCli([...args, '--json', ...server])]);
  expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 rule: 0 passed, 1 advice/m) });
  expect(text.stdout).toMatch(/^i robustness\/garbage-text .*\(ADVICE\)$/m);
  expect(JSON.parse(json.stdout)).toMatchObject({
    outcomes: [{ level: 'ADVICE', status: 'advice', link: 'docs/check.md#robustnessgarbage-text' }],
    counts: { failed: 0, warning: 0, advice: 1 },
  });
});

test.concurrent('--update-baseline writes the violations; with that file only new ones fail', async () => {
  const file = join(folder, 'baseline.json');
  const missing = await spawnCli(['check', '--baseline', file, ...cheap, ...wrong]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('--update-baseline') });
  const written = await spawnCli(['check', '--baseline', file, '--update-baseline', ...cheap, ...wrong]);
  expect(written).toMatchObject({ code: 0, stderr: `Saved ${file}\n` });
  expect(JSON.parse(readFileSync(file, 'utf8')).findings).toMatchObject([{ rule: 'wire/only-messages' }]);
  const accepted = await spawnCli(['check', '--baseline', file, ...cheap, ...wrong]);
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('Accepted by the baseline: wire/only') });
  writeFileSync(file, '{"standpipe":"check baseline","version":1,"findings":[]}');
  expect(await spawnCli(['check', '--baseline', file, ...cheap, ...wrong])).toMatchObject({ code: 1 });
});

test.concurrent('a client, a LiteMCP server of the config and a LiteMCP client are checked', async () => {
  const client = fileURLToPath(new URL('../fixtures/check/client/client.mjs', import.meta.url));
  const config = writeConfig('lite.json', { calculator: calculatorEntry });
  const liteClient = fileURLToPath(new URL('../../examples/litemcp/client.mjs', import.meta.url));
  const [ofClient, ofLite, ofLiteClient] = await Promise.all([
    spawnCli([
      'check',
      '--client',
      '--rule',
      'client-lifecycle/opens',
      '--',
      process.execPath,
      client,
      '--',
      '{server}',
    ]),
    spawnCli(['check', 'calculator', '--config', config, '--rule', 'litemcp-messages/get-is-answered']),
    spawnCli([
      'check',
      '--client',
      '--litemcp',
      '--rule',
      'litemcp-client/three-newlines',
      '--',
      process.execPath,
      liteClient,
      '{server}',
    ]),
  ]);
  expect(ofClient).toMatchObject({ code: 0, stdout: expect.stringMatching(/^MCP client: correct-client/m) });
  expect(ofLite).toMatchObject({ code: 0, stdout: expect.stringMatching(/^LiteMCP server: Calculator/m) });
  expect(ofLiteClient).toMatchObject({ code: 0, stdout: expect.stringMatching(/^LiteMCP client\n/m) });
});

test.skipIf(lacks.signals).concurrent('Ctrl-C ends the check and its servers', async () => {
  const file = join(folder, 'check.pids');
  const silent = 'require("fs").appendFileSync(process.env.PID_FILE, process.pid + "\\n"); setInterval(() => {}, 1e6)';
  const child = startCli(['check', '--env', `PID_FILE=${file}`, '--', process.execPath, '-e', silent]);
  await until('servers are started', () => pidsIn(file).length > 0);
  const ended = finished(child);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, stdout: '', stderr: '' });
  await until('they are gone', () => !pidsIn(file).some(isAlive));
});

test
  .skipIf(!hasTerminal)
  .concurrent('on a narrow terminal the report fits, in colours, after the progress', async () => {
    const { stdout } = await runOnTerminal(['check', ...cheap, ...wrong], { columns: 40 });
    expect(stdout).toContain('\x1b[31m✗\x1b[39m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences of a terminal
    const plain = stdout.replace(/[^\n]*\r\x1b\[2K/g, '').replace(/\x1b\[\d*m/g, '');
    const lines = plain.split(/\r?\n/);
    expect(lines.filter((line) => textWidth(line) > 40 && !/^ {2}(?:--(?:skip|baseline)|https:)/.test(line))).toEqual(
      [],
    );
    expect(plain).toMatch(
      /^ {2}https:\/\/modelcontextprotocol\.io\/specification\/2025-11-25\/basic\/transports#stdio\r?$/m,
    );
    expect(plain).toMatch(/^2 rules: 1 passed, 1 failed \(/m);
  });
