// Every rule for servers in both directions: a correct server passes it, and a server with one mistake violates this rule and no other. A
// usual run tests a mistake with its own rule, and with cheap rules of its family; CHECK_ALL_RULES=1 tests all rules of all families.

import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { familyOf } from '../../src/check/rule.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { correctServers, mistakes, wrongServer } from './mistakes.ts';

test('the correct servers violate no rule, and every rule applies to one of them', async () => {
  const passed = new Set<string>();
  for (const server of correctServers) {
    const { outcomes, revisions } = await checkServer({ ...server, timeoutMs: 60_000 });
    expect(revisions).toHaveLength(5);
    expect(outcomes.filter(isViolated)).toEqual([]);
    for (const { rule, status } of outcomes) if (status === 'passed') passed.add(rule);
  }
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
    const isCheap = uses === 'seen' || familyOf(id) === 'tasks' || (isSeen && uses === 'shared' && !isHeavy);
    return isCheap && familyOf(id) === familyOf(breaks);
  });
  const { outcomes } = await checkServer({
    ...wrongServer(name, file, revision),
    only: tried.map(({ id }) => id),
    timeoutMs: 5_000,
  });
  const violated = outcomes.filter(isViolated);
  expect([...new Set(violated.map(({ rule }) => rule))], JSON.stringify(violated, undefined, 1)).toEqual([breaks]);
  expect(violated[0]!.evidence).not.toEqual([]);
});
