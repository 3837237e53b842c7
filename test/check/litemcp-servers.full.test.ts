// Every rule for LiteMCP servers in both directions: correct servers pass it, and a server with one mistake violates this rule and no other
// rule of its family. Rules that start their own processes are tested only on their own mistakes; with CHECK_ALL_RULES=1 on all mistakes.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkLiteMcpServer } from '../../src/check/litemcp/server/check-lite-server.ts';
import { liteServerRules } from '../../src/check/litemcp/server/rules/index.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { familyOf } from '../../src/check/rule.ts';
import { canRun, node, python } from '../litemcp/raw-process.ts';

const fixtures = join(import.meta.dirname, '../fixtures/check/litemcp');
const { default: table }: { default: Record<string, { breaks: string }> } = await import(
  join(fixtures, 'wrong-servers.mjs')
);
const mistakes = Object.entries(table).map(([name, { breaks }]) => ({ name, breaks }));
const allowCalls = [{ name: 'Calculator' }];
const ids = liteServerRules.map(({ id }) => id);

test.concurrent.each(
  [
    ['the correct server', node('test/fixtures/check/litemcp/server.mjs')] as const,
    ['calculator.mjs', node('examples/litemcp/calculator.mjs')] as const,
    ['calculator.py', python('examples/litemcp/calculator.py')] as const,
  ].filter(canRun),
)('%s passes every rule', async (_name, command) => {
  const report = await checkLiteMcpServer({ ...command, allowCalls, timeoutMs: 60_000 });
  expect(report.outcomes.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(report.outcomes.map(({ rule }) => rule)).toEqual(ids);
  expect(report).toMatchObject({ role: 'server', protocol: 'litemcp', name: 'Calculator', revisions: [] });
});

test('the tool is called only if allowed, and only with the given arguments if there are any', async () => {
  const command = { ...node('test/fixtures/check/litemcp/server.mjs'), timeoutMs: 60_000, allEvidence: true };
  const only = ['litemcp-calls', 'litemcp-wire/split-characters'];
  const sent = async (options: object) => {
    const { outcomes } = await checkLiteMcpServer({ ...command, only, ...options });
    const lines = outcomes.flatMap(({ evidence = [] }) => evidence).filter(({ kind }) => kind === 'sent');
    const calls = lines.flatMap(({ text }) => text.split('\n\n\n')).filter((text) => text.includes('"call"'));
    return { outcomes, calls: calls.map((text) => JSON.parse(text).data.arguments) };
  };
  const without = await sent({});
  expect(without.calls).toEqual([]);
  expect(new Set(without.outcomes.map(({ status }) => status))).toEqual(new Set(['not applicable']));
  const given = await sent({ allowCalls: [{ name: 'Calc*', arguments: { b: 7, a: '1' } }] });
  expect(given.calls.length).toBeGreaterThan(0);
  expect(new Set(given.calls.map(String))).toEqual(new Set(['1,7']));
  expect(given.outcomes.filter(isViolated)).toEqual([]);
});

test('an abort ends the waits for a server without reporting outcomes', async () => {
  const { command, args } = node('test/fixtures/check/litemcp/server.mjs');
  const abort = new AbortController();
  const done = checkLiteMcpServer({
    command,
    args: [...args, 'ignores-sigterm'],
    only: ['litemcp-messages/get-is-answered', 'litemcp-lifecycle/sigterm'],
    timeoutMs: 600_000,
    signal: abort.signal,
    onoutcome: () => abort.abort(new Error('enough')),
  });
  await expect(done).rejects.toThrow('enough');
});

test('arguments that do not match the tool are a usage error', async () => {
  const done = checkLiteMcpServer({
    ...node('test/fixtures/check/litemcp/server.mjs'),
    allowCalls: [{ name: '*', arguments: { a: '1' } }],
  });
  await expect(done).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('missing: "b"'),
  });
});

test('a misspelt tool is a usage error with a suggestion', async () => {
  const done = checkLiteMcpServer({
    ...node('test/fixtures/check/litemcp/server.mjs'),
    allowCalls: [{ name: 'Calculater' }],
  });
  await expect(done).rejects.toMatchObject({ code: 'INVALID_OPTION', hint: expect.stringContaining('"Calculator"') });
});

test('every rule has a server that violates it', () => {
  expect([...new Set(mistakes.map(({ breaks }) => breaks))].sort()).toEqual([...ids].sort());
});

test.concurrent.each(mistakes)('$name violates exactly $breaks', async ({ name, breaks }) => {
  const tried = liteServerRules.filter(
    ({ id, uses }) =>
      id === breaks || process.env.CHECK_ALL_RULES || (familyOf(id) === familyOf(breaks) && uses !== 'own'),
  );
  const { command, args } = node('test/fixtures/check/litemcp/server.mjs');
  const only = tried.map(({ id }) => id);
  const { outcomes } = await checkLiteMcpServer({ command, args: [...args, name], allowCalls, only, timeoutMs: 5_000 });
  const violated = outcomes.filter(isViolated);
  expect([...new Set(violated.map(({ rule }) => rule))], JSON.stringify(violated, undefined, 1)).toEqual([breaks]);
  expect(violated[0]!.evidence).not.toEqual([]);
});
