// Output and exit codes of command lines that start no server: help and errors.

import { describe, expect, test } from 'vitest';
import { removedRules } from '../../check/select-rules.ts';
import { commandGroups, commandTable } from './command-table.ts';
import { Output } from './output/output.ts';
import { executeCommand, makeProgram } from './run-command.ts';

const unread = { write: () => true };
const silent = new Output({ stdout: unread, stderr: unread, env: {}, json: false });

async function run(...words: string[]) {
  const text = { stdout: '', stderr: '' };
  const into = (name: keyof typeof text) => ({
    write(chunk: string | Uint8Array) {
      text[name] += chunk;
      return true;
    },
  });
  const out = new Output({ stdout: into('stdout'), stderr: into('stderr'), env: {}, json: false });
  const code = await executeCommand(words, out, new AbortController().signal);
  return { code, ...text };
}

test('--help lists every command in its group, each with a summary of one line, and the common options', async () => {
  const { code, stdout, stderr } = await run('--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const [group, commands] of Object.entries(commandGroups)) {
    const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(16)}  ${summary}\n`);
    expect(stdout).toContain(`\n${group}:\n${lines.join('')}`);
  }
  expect(stdout).toContain('\n  --config <file> ');
});

/** Every command and subcommand. */
const names = Object.keys(commandTable);
const programs = await Promise.all(names.map((name) => makeProgram([name], () => async () => undefined, silent)));
const helpOf: string[][] = programs.flatMap(({ commands }, at) => {
  const name = names[at]!;
  const command = commands.find((each) => each.name() === name)!;
  return [[name], ...command.commands.map((child) => [name, child.name()])];
});

test('subcommands are among the tested help texts', () => {
  expect(helpOf).toEqual(
    expect.arrayContaining([
      ['token', 'add'],
      ['share', 'install'],
      ['tap', 'uninstall'],
    ]),
  );
});

test.each([[], ...helpOf].map((words) => [words.join(' '), words] as const))(
  'the help of "%s" fits 80 columns and has an example',
  async (name, words) => {
    const { stdout } = await run(...words, '--help');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain(`\nExamples:\n  $ standpipe ${name}`);
  },
);

test.each(Object.keys(commandTable))('%s has help with an example and the common options', async (name) => {
  const help = await run(name, '--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/\nExamples:\n {2}\$ standpipe /);
  expect(help.stdout.includes('\nCommon options:\n')).toBe(name !== 'tap' && name !== 'connect');
  expect((await run('help', name)).stdout).toBe(help.stdout);
});

test('the earlier name of a command still works, and the help shows only the new one', async () => {
  expect((await run('remove', '--help')).stdout).toBe((await run('rm', '--help')).stdout);
  expect((await run('--help')).stdout).not.toContain('|remove');
});

test.each([
  [['login', '--no-browser'], 'No server was given'],
  [['up', '--inspector-port', 'x'], '"x" is not a port'],
  [['tools', '--protocol', 'x'], 'Allowed choices are mcp, litemcp'],
])('accepts the earlier option of %j', async (words, message) => {
  expect((await run(...words)).stderr).toContain(message);
});

test.each([
  ['--skip', []],
  ['--skip', ['--litemcp']],
  ['--only', []],
  ['--rule', ['--client']],
])('check %s with the id of a removed rule warns and selects nothing (%j)', async (option, role) => {
  const all = await run('check', '--list', ...role);
  for (const id of removedRules) {
    const { code, stdout, stderr } = await run('check', '--list', option, id, ...role);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: The rule ${id} was removed. Delete it from the command line.\n`,
    });
    expect(stdout).toBe(option === '--skip' ? all.stdout : '');
  }
});

describe('an error includes a hint', () => {
  const server = ['--', 'never-started'];

  test.each<[string, string[], string, string]>([
    ['an unknown command', ['cal'], "Unknown command 'cal'", 'Did you mean "call" ('],
    ['an unknown option', ['call', '--jsn'], "Unknown option '--jsn'", 'Did you mean "--json"?'],
    ['a bad timeout', ['ls', '--timeout', 'soon'], '--timeout cannot be "soon"', '30s'],
    ['up with a URL', ['up', 'http://127.0.0.1:3000/mcp'], '', 'Add this one first: standpipe add <name> <url>'],
    ['ls with a URL', ['ls', 'http://127.0.0.1:3000/mcp'], '', 'Add this one first: standpipe add <name> <url>'],
    ['an unknown shell', ['completion', 'tcsh'], 'There is no completion for "tcsh"', 'bash, zsh, fish, powershell'],
    [
      'a shell with the name of a method',
      ['completion', 'toString'],
      'There is no completion for',
      'bash, zsh, fish, powershell',
    ],
    ['no shell', ['completion'], 'No shell was given', 'bash, zsh, fish, powershell; `standpipe completion --help`'],
    ['a port that is not a number', ['inspect', '--port', 'x'], '"x" is not a port', 'from 0 to 65535'],
    ['no server to check', ['check'], 'No server was given', ''],
    ['a URL to check', ['check', 'https://example.org/mcp'], 'remote server', ''],
    [
      'an unknown rule',
      ['check', '--rule', 'wire/nothing', ...server],
      'There is no rule or family "wire/nothing"',
      '',
    ],
    ['a misspelled rule', ['check', '--rule', 'wire/utf8', ...server], '', 'Did you mean "wire/utf-8"?'],
    ['a part of a rule', ['check', '--skip', 'wire/crlf', ...server], '', 'Did you mean "wire/crlf-is-taken"?'],
    [
      'a rule without its family',
      ['check', '--only', 'parse-error', ...server],
      '',
      'Did you mean "jsonrpc/parse-error"?',
    ],
    ['a command without --', ['check', 'python3', 'server.py'], '', 'standpipe check -- python3 server.py'],
    ['an unknown revision', ['check', '--revision', '2020-01-01', ...server], 'not a revision', ''],
    ['no JSON', ['check', '--allow-calls', 'echo={', ...server], '--allow-calls cannot be "echo={"', ''],
    ['no folder', ['check', '--junit', 'nowhere/x.xml', ...server], '--junit cannot be "nowhere/x.xml"', ''],
    ['a folder as a report', ['check', '--junit', '.', ...server], '--junit cannot be ".": it is a folder', ''],
    ['one file twice', ['check', '--junit', 'x', '--html', './x', ...server], 'cannot be the same file', ''],
    [
      'no file for a baseline',
      ['check', '--update-baseline', ...server],
      '--update-baseline needs --baseline',
      '--baseline',
    ],
    [
      'no baseline',
      ['check', '--baseline', 'none.json', ...server],
      'Cannot read the baseline "none.json"',
      '--update',
    ],
    ['a client of the config', ['check', '--client', 'weather'], 'No client command was given', ''],
    [
      'an option of other checks',
      ['check', '--litemcp', '--revision', '2025-11-25', ...server],
      '--revision does not apply',
      '',
    ],
    ['two servers to check', ['check', 'one', ...server], 'check takes one server', ''],
  ])('%s', async (_what, words, message, hint) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .+\nhint: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});

test.each([
  [['tools', '--bogus']],
  [['call', 'nosuch', 'x', '--config', 'no-such-file.json']],
  [['check', '--only', 'methods/none*', '--', 'x']],
])('--verbose adds no stack to a usage error (%j)', async (words) => {
  const verbose = await run(words[0]!, '--verbose', ...words.slice(1));
  expect(verbose).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: /) });
  expect(verbose.stderr).not.toMatch(/^\s+at /m);
});
