// A server with one mistake has one problem in the report: the rule that shows the mistake, with true sentences about it and what it causes.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../../src/check/report/problems.ts';
import { textOf } from '../../src/check/report/text.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';

const planted = join(import.meta.dirname, '../fixtures/check/planted.mjs');

async function problems(mistake: string, options: Partial<CheckServerOptions> = {}) {
  const report = await checkServer({
    command: process.execPath,
    args: [planted, mistake],
    revisions: ['2025-11-25'],
    only: ['jsonrpc', 'methods', 'lifecycle/declared-capabilities-work'],
    timeoutMs: 60_000,
    ...options,
  });
  const found = problemsOf(report).map(({ head, also }) => [head, ...also].map(({ rule }) => rule.id));
  return { report, found, text: textOf(report) };
}

const ofCodes = [
  'methods/invalid-cursors-are-refused',
  'jsonrpc/method-not-found-code',
  'jsonrpc/invalid-params',
  'methods/unknown-tools-are-refused',
];

test.concurrent.each([
  ['errors-as-text', '"there is one page" (without an integer code)'],
  ['codes-as-text', '"-32602" "there is one page" (without an integer code)'],
])('%s: errors of any form are errors, and what follows is beneath the form', async (mistake, described) => {
  const { found, text } = await problems(mistake);
  expect(found).toEqual([['jsonrpc/error-members', ...ofCodes]]);
  expect(text).not.toContain('answered with a result');
  expect(text).toContain(`was refused with ${described}`);
});

test.concurrent('a server that refuses its own cursor gets a warning with both pages', async () => {
  const { found, text } = await problems('refuses-its-cursor');
  expect(found).toEqual([['methods/cursors-are-accepted']]);
  expect(text).toContain('The server refused the cursor "x", which it gave out itself');
  expect(text).toMatch(/← .*"nextCursor":"x".*\n {4}→ .*"cursor":"x".*\n {4}← .*-32602/);
});

test.concurrent('a declared capability without its methods is the only problem', async () => {
  expect((await problems('declares-more')).found).toEqual([['lifecycle/declared-capabilities-work']]);
});

test.concurrent('where each call ends the server, calls with wrong arguments are not judged', async () => {
  const { found, report } = await problems('exits');
  expect(found).toEqual([['methods/calls-keep-the-server-alive']]);
  const missing = report.outcomes.find(({ rule }) => rule === 'methods/missing-arguments-are-refused');
  expect(missing).toMatchObject({
    status: 'not applicable',
    reason: 'the call of "add" ended the server (methods/calls-keep-the-server-alive)',
  });
});

test.concurrent('a tool that answers each call with an error is named at the end of the report', async () => {
  const { found, text } = await problems('fails');
  expect(found).toEqual([]);
  expect(text).toMatch(
    /^Not tested: 2 rules, because the call of "add" was answered with the error "The disk is full": name it with/m,
  );
});
