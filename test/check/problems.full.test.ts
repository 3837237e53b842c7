// One mistake of a server is one problem in the report, however many rules it violates.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { problemsOf } from '../../src/check/report/problems.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { textOf } from '../../src/check/report/text.ts';
import { checkServer } from '../../src/check/server/check-server.ts';

const planted = fileURLToPath(new URL('../fixtures/check/planted.mjs', import.meta.url));
const checked = (...mistakes: string[]) =>
  checkServer({ command: process.execPath, args: [planted, ...mistakes], timeoutMs: 60_000 });

test('a server with three mistakes has three problems, with other violated rules below them', async () => {
  const report = await checked('answers-notifications', 'logs', 'swaps');
  expect(report.counts.failed).toBeGreaterThan(3);
  const problems = problemsOf(report);
  expect(problems.map(({ head }) => head.rule.id)).toEqual([
    'wire/only-messages',
    'jsonrpc/error-members',
    'jsonrpc/notifications-are-not-answered',
  ]);
  const all = problems.flatMap(({ head, also }) => [head, ...also].map(({ rule }) => rule.id));
  const violated = report.outcomes.filter(isViolated);
  expect(new Set(all)).toEqual(new Set(violated.map(({ rule }) => rule)));
  const text = textOf(report);
  expect(text.match(/^[✗!i] /gm)).toHaveLength(3);
  expect(text).toMatch(/^ {4}→ .*"notifications\/cancelled".*\n {4}← .*"id":null/m);
  expect(text).toMatch(/^ {2}also violates:\n {4}✗ jsonrpc\/wrong-notifications-are-not-answered {2}The notification/m);
});

test('the same server without mistakes has no problem', async () => {
  expect(problemsOf(await checked())).toEqual([]);
});
