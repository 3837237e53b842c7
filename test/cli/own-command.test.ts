// Messages name commands of Standpipe in the form that the user has to type. Texts of servers are unchanged.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everything, folder, spawnCli } from './run-cli.ts';

const npx = (...words: string[]) => spawnCli(words, { env: { npm_command: 'exec' } });

test.each([
  ['help', ['token', '--help'], 'stdout', ['Usage: npx standpipe token ', '$ npx standpipe token add laptop\n']],
  ['a hint', ['zzz'], 'stderr', ['hint: `npx standpipe --help` lists the commands.']],
  ['a hint of a module', ['tools'], 'stderr', ['npx standpipe add']],
  [
    'a document',
    ['add', 'other', '--json', '--dry-run', ...everything],
    'stdout',
    ['"next": "npx standpipe tools other'],
  ],
  [
    'tap',
    ['tap', '--bogus'],
    'stderr',
    ['npx standpipe tap [--record FILE | --keep]', 'or npx standpipe tap [options] URL'],
  ],
  ['connect', ['connect'], 'stderr', ['npx standpipe connect <server>', 'or npx standpipe connect URL']],
] as const)('commands begin with npx after npx: %s', async (_where, words, stream, expected) => {
  const { [stream]: text } = await npx(...words);
  for (const command of expected) expect(text).toContain(command);
  expect(text).not.toMatch(/(?<!npx )standpipe (?:token|add|tools|--help|tap|connect)\b(?!:)/);
});

test('commands begin with the name of the program otherwise', async () => {
  expect((await spawnCli(['zzz'])).stderr).toContain('hint: `standpipe --help` lists the commands.');
  expect((await spawnCli(['connect'])).stderr).toContain('hint: standpipe connect <server>');
});

test('stderr of a server that names a command is printed unchanged', async () => {
  const server = join(folder, 'names-a-command.mjs');
  writeFileSync(server, "console.error('run `standpipe up` first'); process.exit(3);");
  const { stderr } = await npx('tools', '--', process.execPath, server);
  expect(stderr).toContain('  stderr: run `standpipe up` first\n');
});
