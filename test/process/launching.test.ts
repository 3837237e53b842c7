// A server starts with exactly the settings of its entry, or an error names the setting to change.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/base/command-line.ts';
import { ProcessError, UsageError } from '../../src/base/errors.ts';
import { startServerProcess } from '../../src/wire/process/server-process.ts';
import { fixture, node, playground, textOf } from '../fixtures/process/programs.ts';
import { lacks } from '../fixtures/windows.ts';

async function failure(options: Parameters<typeof startServerProcess>[0]): Promise<ProcessError> {
  const error = await startServerProcess(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ProcessError);
  return error as ProcessError;
}

test('names a missing command, the PATH that was searched, and the fix', async () => {
  const error = await failure({ command: 'no-such-tool', args: ['--x', 'a b'], env: { PATH: '/nowhere:/usr/bin' } });
  expect(error.code).toBe('COMMAND_NOT_FOUND');
  expect(error.message).toBe('Cannot find the command "no-such-tool": it is not in any folder of PATH.');
  expect(error.hint).toMatch(/absolute path .* PATH is \/nowhere:\/usr\/bin$/);
  expect(error.evidence).toEqual({ phase: 'spawn', command: commandLine('no-such-tool', ['--x', 'a b']) });
  expect(error.cause).toMatchObject({ code: 'ENOENT' });
});

test('the hint names common causes', async () => {
  const { marks } = playground();
  const bin = join(marks.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'python3'), '#!/bin/sh\n', { mode: 0o755 });
  const hint = async (command: string) => (await failure({ command, env: { PATH: bin } })).hint;
  expect(await hint('python')).toContain('"python3" exists');
  expect(await hint('python3 server.py')).toContain('put the rest in "args"');
  expect(await hint('~/server')).toContain('~ is not expanded');
  expect(await hint('uvx')).toContain('Install uv');
  expect(await hint('npx')).toContain('Install Node.js');
  expect(await hint('node')).toContain(process.execPath);
  expect(await hint('./server')).toContain('working folder');
});

test('distinguishes a missing working folder from a missing command', async () => {
  const error = await failure({ command: node, cwd: '/no/such/folder' });
  expect(error.code).toBe('CWD_NOT_FOUND');
  expect(error.message).toContain('"/no/such/folder" does not exist');
  const file = await failure({ command: node, cwd: fixture('leaves-at-eof.mjs') });
  expect(file.code).toBe('CWD_NOT_FOUND');
  expect(file.message).toContain('is not a folder');
});

test.skipIf(lacks.fileModes)(
  'distinguishes a file that is not executable, and a folder, from a missing command',
  async () => {
    const { marks } = playground();
    const script = join(marks.folder, 'a script');
    writeFileSync(script, '#!/bin/sh\n');
    const error = await failure({ command: script });
    expect(error.code).toBe('COMMAND_NOT_EXECUTABLE');
    expect(error.hint).toBe(`chmod +x '${script}', or start it with its interpreter.`);
    const inPath = await failure({ command: 'a script', env: { PATH: marks.folder } });
    expect(inPath.code).toBe('COMMAND_NOT_EXECUTABLE');
    const folder = await failure({ command: marks.folder });
    expect(folder.code).toBe('COMMAND_NOT_EXECUTABLE');
    expect(folder.message).toContain('is a folder');
  },
);

test.skipIf(lacks.posixPrograms)('reports a script whose interpreter is missing', async () => {
  const { marks } = playground();
  const script = join(marks.folder, 'script');
  writeFileSync(script, '#!/no/such/interpreter -x\n');
  chmodSync(script, 0o755);
  const error = await failure({ command: script });
  expect(error.code).toBe('COMMAND_NOT_FOUND');
  expect(error.message).toContain('"/no/such/interpreter"');
});

test.skipIf(lacks.limitOfCommandLine)('reports other errors of the system with their reason', async () => {
  const error = await failure({ command: node, args: ['x'.repeat(3_000_000)] });
  expect(error.code).toBe('SPAWN_FAILED');
  expect(error.message).toMatch(/E2BIG|ENAMETOOLONG/);
  expect(error.hint).toContain('too long');
});

test('an argument with a null byte is a usage error, and its secret is masked', async () => {
  const starting = startServerProcess({ command: node, args: ['a\0b', 'topsecret'], env: { KEY: 'topsecret' } });
  const error = await starting.catch((error: unknown) => error as UsageError);
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ code: 'INVALID_OPTION', evidence: { command: expect.stringContaining('[env KEY]') } });
});

test('no part of an error contains values of env', async () => {
  const env = { TOKEN: 'hunter22', FOLDER: '/no/such/m4rk' };
  const errors = await Promise.all([
    failure({ command: 'tool-hunter22', args: ['--token=hunter22'], env }),
    failure({ command: node, args: ['hunter22'], cwd: '/no/such/m4rk', env }),
  ]);
  for (const error of errors) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter22|m4rk/);
    // EACCES if this user cannot read a folder of PATH.
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^(?:ENOENT|EACCES)$/) });
  }
});

test('passes arguments unchanged', async () => {
  const { start } = playground();
  const args = [
    'a b',
    '"q"',
    '%X%',
    '&',
    '^',
    "''",
    '',
    '$HOME',
    '`id`',
    '*',
    '\\',
    'ü 😀',
    'two\nlines',
    '--flag=a b',
  ];
  const server = await start({ command: node, args: [fixture('prints-what-it-got.mjs'), ...args] });
  expect(JSON.parse(await textOf(server.stdout)).args).toEqual(args);
});

test('the child has its env, the short list and PATH, and no other variables of ours', async () => {
  const { start } = playground();
  process.env.STANDPIPE_TEST_SECRET = 'not for children';
  const server = await start({ command: node, args: [fixture('prints-what-it-got.mjs')], env: { A: 'b c' } });
  delete process.env.STANDPIPE_TEST_SECRET;
  const { env } = JSON.parse(await textOf(server.stdout));
  expect(env).toMatchObject({ A: 'b c', PATH: process.env.PATH });
  expect(env).not.toHaveProperty('STANDPIPE_TEST_SECRET');
});

test('the working folder is the given one, and relative commands start there', async () => {
  const { start } = playground();
  const folder = dirname(fixture('prints-what-it-got.mjs'));
  const server = await start({ command: node, args: ['prints-what-it-got.mjs'], cwd: folder });
  expect(JSON.parse(await textOf(server.stdout)).cwd).toBe(folder);
});
