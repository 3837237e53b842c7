// Where a file is meant, files are suggested.

import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

test.each([
  [['inspect', 'se'], ':files '],
  [['tap', 'install', './'], ':files '],
  [['tap', '--record', ''], ':files '],
  [['call', 'x', '--args', '@'], ':files @'],
])('%j', async (words, expected) => {
  expect((await runCli(['__complete', ...words])).stdout).toBe(`${expected}\n`);
});

test('bash does not part words at an @, or Tab would repeat what stands there', async () => {
  expect((await runCli(['completion', 'bash'])).stdout).toContain('COMP_WORDBREAKS="${COMP_WORDBREAKS//@/}"');
});
