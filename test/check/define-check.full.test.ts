// Rules as test cases: in real runs of Vitest and node:test, and called by the test like a runner without a context (Jest).

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import nodeTest from 'node:test';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type DefineCheckOptions, defineCheck } from '../../src/check/define-check.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const runners = 'test/fixtures/check/runners';
const message = expect.stringMatching(
  /✗ wire\/only-messages .*\(MUST, in 2025-11-25\)\n.*not JSON\.\n +rule: [\s\S]*← Server is ready\n +fix: Log with console\.error\./,
);

/** Output of a program that must fail. */
function outputOf(args: string[]): Promise<string> {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, VITEST: ___, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env: { ...env, NO_COLOR: '1' } }, (error, stdout) => {
      resolve(error?.code === 1 ? stdout : `exited with ${error?.code}: ${stdout}`);
    });
  });
}

test.concurrent('Vitest runs each rule as a case, and a violation fails only its case', async () => {
  const output = await outputOf(['node_modules/vitest/vitest.mjs', 'run', '--root', runners, '--reporter=json']);
  const { assertionResults } = JSON.parse(output).testResults[0];
  expect(assertionResults).toMatchObject(
    [
      { ancestorTitles: ['my server'], title: /^lifecycle\/opens: must answer/, status: 'passed' },
      { title: /^wire\/only-messages: must write/, status: 'failed', failureMessages: [message] },
    ].map((expected) => ({ ...expected, title: expect.stringMatching(expected.title) })),
  );
});

test.concurrent('node:test runs each rule as a case, and a violation fails only its case', async () => {
  const output = await outputOf(['--test', '--test-reporter=tap', `${runners}/node.test.mjs`]);
  expect(output).toMatch(/^ok 1 - lifecycle\/opens: must answer/m);
  expect(output).toMatch(/^not ok 2 - wire\/only-messages: must write/m);
  expect(output).toEqual(message);
  expect(output).toMatch(/^# tests 2$/m);
});

interface Case {
  name: string;
  run: (...context: unknown[]) => Promise<void>;
}

function casesOf(options: Omit<DefineCheckOptions, 'test' | 'command'>): {
  cases: Case[];
  report: ReturnType<typeof defineCheck>;
} {
  const cases: Case[] = [];
  const report = defineCheck({
    command: process.execPath,
    args: ['-e', ''],
    test: (name, run) => cases.push({ name, run }),
    ...options,
  });
  return { cases, report };
}

test('cases are known before anything is started, take no parameter, and share one run', async () => {
  const { cases, report } = casesOf({ only: ['lifecycle/opens', 'wire/only-messages'] });
  expect(cases.map(({ name }) => name.split(':')[0])).toEqual(['lifecycle/opens', 'wire/only-messages']);
  expect(cases.map(({ run }) => run.length)).toEqual([0, 0]);
  const [opens, wire] = cases;
  await expect(opens!.run()).rejects.toMatchObject({ code: 'RULE_VIOLATED', hint: expect.any(String) });
  const skipped: unknown[] = [];
  await wire!.run({ skip: (reason: string) => skipped.push(reason) });
  expect(skipped).toEqual([expect.stringContaining('does not open')]);
  await wire!.run();
  expect(await report()).toBe(await report());
});

test('no case passes if the server does not open, even if the rule about that is not selected', async () => {
  const { cases } = casesOf({ only: ['wire/only-messages'] });
  expect(cases).toHaveLength(1);
  await expect(cases[0]!.run()).rejects.toThrow('lifecycle/opens');
});

test('a warning is passed to onwarning, and fails its case if the check is strict', async () => {
  const warnings: string[] = [];
  const options = {
    args: [join(root, 'test/fixtures/check/server.mjs'), 'gives-an-unknown-prompt', 'methods-resources'],
    revisions: ['2025-11-25' as const],
    only: ['methods/unknown-prompts-are-refused'],
    onwarning: (text: string) => warnings.push(text),
  };
  await casesOf(options).cases[0]!.run();
  expect(warnings).toEqual([expect.stringMatching(/^! methods\/unknown-prompts-are-refused/)]);
  await expect(casesOf({ ...options, strict: true }).cases[0]!.run()).rejects.toThrow('! methods/unknown-prompts');
});

test('advice is passed to onwarning and never fails its case', async () => {
  const warnings: string[] = [];
  const { cases } = casesOf({
    args: [join(root, 'test/fixtures/check/server.mjs'), 'dies-of-headers', 'robustness'],
    revisions: ['2025-11-25' as const],
    only: ['robustness/garbage-text'],
    onwarning: (text: string) => warnings.push(text),
    strict: true,
  });
  await cases[0]!.run();
  expect(warnings).toEqual([expect.stringMatching(/^i robustness\/garbage-text .*\(ADVICE\)/)]);
});

test('accepts the functions of Vitest, node:test and Jest', () => {
  type Jest = (name: string, fn?: () => Promise<unknown> | undefined, timeout?: number) => void;
  expectTypeOf(test).toExtend<DefineCheckOptions['test']>();
  expectTypeOf(nodeTest).toExtend<DefineCheckOptions['test']>();
  expectTypeOf<Jest>().toExtend<DefineCheckOptions['test']>();
  expectTypeOf(describe).toExtend<NonNullable<DefineCheckOptions['describe']>>();
  expectTypeOf(nodeTest.describe).toExtend<NonNullable<DefineCheckOptions['describe']>>();
});
