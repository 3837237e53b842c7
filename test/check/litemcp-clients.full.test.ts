// Every rule for LiteMCP clients in both directions: correct clients pass it, and a client with one mistake violates this rule and no other
// rule that uses the same scenarios. With CHECK_ALL_RULES=1, every mistake is tested in all scenarios.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkLiteMcpClient } from '../../src/check/litemcp/client/check-lite-client.ts';
import { liteClientRules } from '../../src/check/litemcp/client/rules.ts';
import { plain } from '../../src/check/litemcp/client/scenarios.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { canRun, node, python } from '../litemcp/raw-process.ts';

const fixtures = join(import.meta.dirname, '../fixtures/check/litemcp');
const { default: table }: { default: Record<string, { breaks: string }> } = await import(
  join(fixtures, 'wrong-clients.mjs')
);
const mistakes = Object.entries(table).map(([name, { breaks }]) => ({ name, breaks }));
const { command, args } = node('test/fixtures/check/litemcp/client.mjs');
const ids = liteClientRules.map(({ id }) => id);

test.concurrent.each(
  [
    ['the correct client', node('test/fixtures/check/litemcp/client.mjs'), ['--', '{server}']] as const,
    ['client.mjs', node('examples/litemcp/client.mjs'), ['{server}']] as const,
    ['client.py', python('examples/litemcp/client.py'), ['2', '3', '--', '{server}']] as const,
  ].filter(canRun),
)('%s passes every rule', async (_name, program, more) => {
  const report = await checkLiteMcpClient({ ...program, args: [...program.args, ...more], timeoutMs: 60_000 });
  expect(report.outcomes.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(report.outcomes.map(({ rule }) => rule)).toEqual(ids);
  expect(report).toMatchObject({ role: 'client', protocol: 'litemcp', revisions: [] });
});

test('every rule has a client that violates it', () => {
  expect([...new Set(mistakes.map(({ breaks }) => breaks))].sort()).toEqual([...ids].sort());
});

test.concurrent.each(mistakes)('$name violates exactly $breaks', async ({ name, breaks }) => {
  const { scenarios } = liteClientRules.find(({ id }) => id === breaks)!;
  const tried = liteClientRules.filter(
    (rule) => process.env.CHECK_ALL_RULES || rule.scenarios.every((each) => each === plain || scenarios.includes(each)),
  );
  const only = tried.map(({ id }) => id);
  const { outcomes } = await checkLiteMcpClient({
    command,
    args: [...args, name, '--', '{server}'],
    only,
    timeoutMs: 5_000,
  });
  const violated = outcomes.filter(isViolated);
  expect(
    violated.map(({ rule }) => rule),
    JSON.stringify(violated, undefined, 1),
  ).toEqual([breaks]);
  expect(violated[0]!.evidence).not.toEqual([]);
});
