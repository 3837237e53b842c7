// Every rule for servers, both ways: the correct server passes it, and a server with one mistake violates it and no other rule. In the suite a
// mistake meets its own rule, and those of its family that only read what was seen, or show it; with CHECK_ALL_RULES=1 all rules of all families.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { familyOf } from '../../src/check/rule.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import type { Revision } from '../../src/mcp/revisions.ts';

interface Mistake {
  breaks: string;
  revision?: Revision;
}

const fixtures = join(import.meta.dirname, '../fixtures/check');
const program = join(fixtures, 'server.mjs');
const options = { command: process.execPath, longCall: { name: 'wait' }, allowCalls: [{ name: 'change' }] };
const mistakes = (
  await Promise.all(
    readdirSync(join(fixtures, 'wrong')).map(async (file) => {
      const { default: table }: { default: Record<string, Mistake> } = await import(join(fixtures, 'wrong', file));
      return Object.entries(table).map(([name, mistake]) => ({ name, file: file.replace('.mjs', ''), ...mistake }));
    }),
  )
).flat();

test('the correct server violates no rule, and every rule applies to it', async () => {
  const { outcomes, revisions } = await checkServer({ ...options, args: [program], timeoutMs: 60_000 });
  expect(revisions).toHaveLength(5);
  expect(outcomes.filter(isViolated)).toEqual([]);
  const passed = new Set(outcomes.filter(({ status }) => status === 'passed').map(({ rule }) => rule));
  expect(serverRules.map(({ id }) => id).filter((id) => !passed.has(id))).toEqual([]);
});

test('every rule has a server that violates it', () => {
  const broken = new Set(mistakes.map(({ breaks }) => breaks));
  expect(serverRules.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
  expect([...broken].filter((id) => !serverRules.some((rule) => rule.id === id))).toEqual([]);
});

test.concurrent.each(mistakes)('$name violates exactly $breaks', async ({ name, file, breaks, revision }) => {
  const isSeen = serverRules.find(({ id }) => id === breaks)?.uses === 'seen';
  const tried = serverRules.filter(({ id, uses, isHeavy }) => {
    if (id === breaks || process.env.CHECK_ALL_RULES) return true;
    const isCheap = uses === 'seen' || (isSeen && uses === 'shared' && !isHeavy);
    return isCheap && familyOf(id) === familyOf(breaks);
  });
  const { outcomes } = await checkServer({
    ...options,
    args: [program, name, file],
    revisions: [revision ?? '2025-11-25'],
    only: tried.map(({ id }) => id),
    timeoutMs: 5_000,
  });
  const violated = outcomes.filter(isViolated);
  expect([...new Set(violated.map(({ rule }) => rule))], JSON.stringify(violated, undefined, 1)).toEqual([breaks]);
  expect(violated[0]!.evidence).not.toEqual([]);
});
