// Every command line in the docs is accepted: its command, options and values, and the names of rules. Nothing is started.

import { describe, expect, test } from 'vitest';
import { parseConnectArguments } from '../../src/app/cli/connect/connect-arguments.ts';
import { Output } from '../../src/app/cli/output/output.ts';
import { executeCommand, makeProgram, splitAtServer } from '../../src/app/cli/run-command.ts';
import { parseTapArguments } from '../../src/observe/tap/tap-arguments.ts';
import { type DocumentedCommand, documentedCommands, documentedRuleOptions } from './commands-in-docs.ts';

function collectingOutput() {
  const text = { all: '' };
  const stream = {
    write(chunk: string | Uint8Array) {
      text.all += chunk;
      return true;
    },
  };
  return { text, out: new Output({ stdout: stream, stderr: stream, env: {}, json: false }) };
}

/** Parses a command line like src/app/cli/main.ts. Rejects if it is wrong. */
async function parse(words: readonly string[]): Promise<void> {
  const [name, second] = words;
  if (name === 'connect') return void parseConnectArguments(words.slice(1));
  if (name === 'tap' && !second?.endsWith('install')) return void parseTapArguments(words.slice(1));
  let isReached = false;
  const action = async () => {
    isReached = true;
  };
  const { ours } = splitAtServer(words);
  const program = await makeProgram(ours, () => action, collectingOutput().out);
  await program.parseAsync(ours, { from: 'user' });
  expect(isReached).toBe(true);
}

const incomplete = ['commander.optionMissingArgument', 'commander.missingArgument', 'commander.help'];

test('finds commands in the README and the docs', () => {
  const pages = new Set(documentedCommands.map(({ page }) => page));
  expect([...pages]).toEqual(expect.arrayContaining(['README.md', 'README.zh-CN.md', 'docs/check.md', 'docs/cli.md']));
  expect(documentedCommands.length).toBeGreaterThan(80);
  expect(documentedRuleOptions.length).toBeGreaterThan(0);
});

/** In text, `standpipe tap` may be the name of the program rather than a command line. */
const isName = ({ words: [name, ...rest], isInText }: DocumentedCommand) =>
  isInText && (name === 'tap' || name === 'connect') && rest.every((word) => word === '--');

test.each(documentedCommands.filter((each) => !isName(each)))('accepts $line of $page', async ({ words, isInText }) => {
  const error = await parse(words).catch((thrown) => thrown);
  if (!isInText || !incomplete.includes(error?.code)) expect(error).toBeUndefined();
});

describe('rules', () => {
  const ofCheck = documentedCommands.filter(({ words }) => words[0] === 'check');

  test.each([...ofCheck, ...documentedRuleOptions])('named in $line of $page exist', async ({ words }) => {
    const { text, out } = collectingOutput();
    const { ours } = splitAtServer(words);
    const code = await executeCommand([...ours, '--list'], out, new AbortController().signal);
    expect(code, text.all).toBe(0);
  });
});
