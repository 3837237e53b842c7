// Options and arguments that take a file: completion suggests files.

import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

test.each([
  [['inspect', 'se'], ':files '],
  [['tap', 'install', './'], ':files '],
  [['tap', '--record', ''], ':files '],
  [['call', 'x', '--args', '@'], ':files @'],
])('suggests files for %j', async (words, expected) => {
  expect((await runCli(['__complete', ...words])).stdout).toBe(`${expected}\n`);
});

test('bash does not split words at an @, because Tab would repeat the text before it', async () => {
  expect((await runCli(['completion', 'bash'])).stdout).toContain('COMP_WORDBREAKS="${COMP_WORDBREAKS//@/}"');
});
