// Every rule for clients in both directions: the correct client passes it, and a client with one mistake violates this rule and no other
// rule that uses the same scenarios. With CHECK_ALL_RULES=1, every mistake is tested in all scenarios.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClient } from '../../src/check/client/check-client.ts';
import { clientRules } from '../../src/check/client/rules/index.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';

interface Mistake {
  breaks: string;
  hangs?: boolean;
}

const fixtures = join(import.meta.dirname, '../fixtures/check/client');
const program = join(fixtures, 'client.mjs');
const { default: wrong }: { default: Record<string, Mistake> } = await import(join(fixtures, 'wrong.mjs'));
const mistakes = Object.entries(wrong).map(([name, mistake]) => ({ name, ...mistake }));
const { default: right }: { default: Record<string, { keeps: string; hangs?: boolean }> } = await import(
  join(fixtures, 'right.mjs')
);
const variants = Object.entries(right).map(([name, variant]) => ({ name, ...variant }));
const command = process.execPath;

test('the correct client violates no rule, and every rule applies to it', async () => {
  const report = await checkClient({ command, args: [program, '--', '{server}'], timeoutMs: 60_000 });
  expect(report).toMatchObject({ role: 'client', name: 'correct-client', revisions: ['2026-07-28', '2025-11-25'] });
  expect(report.outcomes.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(report.outcomes.map(({ rule }) => rule)).toEqual(clientRules.map(({ id }) => id));
});

test('every rule has a client that violates it', () => {
  const broken = new Set(mistakes.map(({ breaks }) => breaks));
  expect(clientRules.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
  expect([...broken].filter((id) => !clientRules.some((rule) => rule.id === id))).toEqual([]);
});

test.concurrent.each(mistakes)('$name violates exactly $breaks', async ({ name, breaks, hangs }) => {
  const { scenarios } = clientRules.find(({ id }) => id === breaks)!;
  const tried = clientRules.filter(
    (rule) => process.env.CHECK_ALL_RULES || rule.scenarios.every((scenario) => scenarios.includes(scenario)),
  );
  const { outcomes } = await checkClient({
    command,
    args: [program, name, '--', '{server}'],
    only: tried.map(({ id }) => id),
    timeoutMs: hangs ? 10_000 : 60_000,
  });
  const violated = outcomes.filter(isViolated);
  expect(
    violated.map(({ rule }) => rule),
    JSON.stringify(violated, undefined, 1),
  ).toEqual([breaks]);
  expect(violated[0]!.evidence).not.toEqual([]);
});

test.concurrent.each(variants)('$name is not reported by $keeps', async ({ name, keeps, hangs }) => {
  const only = [keeps, 'client-lifecycle/legacy-server']; // adds an older server, so that the client runs in both eras
  const args = [program, name, '--', '{server}'];
  const { outcomes } = await checkClient({ command, args, only, timeoutMs: hangs ? 10_000 : 60_000 });
  const { status, reason } = outcomes.find(({ rule }) => rule === keeps)!;
  expect(status, reason).toMatch(/^(?:passed|not applicable)$/);
});

test('the fix for a client that does not start the server states the expected behaviour', async () => {
  const { outcomes } = await checkClient({ command, args: ['-e', '0'], only: ['client-shutdown'] });
  const [first, ...others] = outcomes;
  expect(first).toMatchObject({
    rule: 'client-lifecycle/opens',
    status: 'failed',
    reason: 'The client did not start the server.',
    fix: expect.stringMatching(/\{config\}.*STANDPIPE_CHECK_SERVER/),
  });
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 'not applicable'));
});
