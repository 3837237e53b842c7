// A rule has the same outcome for a server alone, in its family, and with all others in any order.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkLiteMcpServer } from '../../src/check/litemcp/server/check-lite-server.ts';
import { liteServerRules } from '../../src/check/litemcp/server/rules/index.ts';
import type { CheckReport } from '../../src/check/report/report.ts';
import { familyOf } from '../../src/check/rule.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { usually } from '../fixtures/repetitions.ts';
import { liteMistakes, liteServer, mistakes, wrongServer } from './mistakes.ts';

const late = join(import.meta.dirname, '../fixtures/check/answers-notifications-late.mjs');

test('late answers to notifications are not treated as answers to later requests', async () => {
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: [late],
    revisions: ['2025-11-25'],
    only: ['jsonrpc', 'wire'],
    skip: ['jsonrpc/unknown-members-are-ignored'],
  });
  const failed = outcomes.filter(({ status }) => status === 'failed').map(({ rule }) => rule);
  expect(failed).toEqual([
    'jsonrpc/notifications-are-not-answered',
    'jsonrpc/wrong-notifications-are-not-answered',
    'jsonrpc/unknown-notifications-are-ignored',
  ]);
});

test('the rules about output do not judge the effects of invalid input', async () => {
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: [late],
    revisions: ['2025-11-25'],
    only: ['wire/valid-json', 'robustness/huge-numbers'],
  });
  expect(outcomes.map(({ rule, status }) => [rule, status])).toEqual([
    ['wire/valid-json', 'passed'],
    ['robustness/huge-numbers', 'passed'],
  ]);
});

test('the evidence of a violation has the request that caused the answer', async () => {
  const { outcomes } = await checkServer({ ...wrongServer('writes-nan', 'wire'), only: ['wire/valid-json'] });
  const [sent, received] = outcomes[0]!.evidence!;
  expect(sent).toMatchObject({ kind: 'sent', text: expect.stringContaining('"method":"ping"') });
  expect(received).toMatchObject({ kind: 'received', text: expect.stringContaining('NaN') });
});

interface Matrix<R extends { id: string }> {
  rules: readonly R[];
  check: (only: string[], arrange?: <T>(items: readonly T[]) => readonly T[]) => Promise<CheckReport>;
}

/** Statuses by rule and revision. */
function statuses({ outcomes }: CheckReport, only: readonly string[]): Record<string, string> {
  const kept = outcomes.filter(({ rule }) => only.includes(rule));
  return Object.fromEntries(kept.map(({ rule, revision, status }) => [`${rule} ${revision ?? ''}`, status]));
}

async function isIndependent<R extends { id: string }>({ rules, check }: Matrix<R>, seed: number): Promise<void> {
  const random = generator(seed);
  const ids = rules.map(({ id }) => id);
  const whole = await check(ids);
  const turned = await check(ids, (items) => shuffled(items, random));
  expect(statuses(turned, ids)).toEqual(statuses(whole, ids));
  const families = [...new Set(ids.map(familyOf))];
  for (const family of usually(shuffled(families, random).slice(0, 1), families)) {
    const members = ids.filter((id) => familyOf(id) === family);
    expect(statuses(await check(members), members), family).toEqual(statuses(whole, members));
  }
  for (const id of usually(shuffled(ids, random).slice(0, 1), ids)) {
    expect(statuses(await check([id]), [id])).toEqual(statuses(whole, [id]));
  }
}

const SEED = Number(process.env.INDEPENDENCE_SEED ?? 23);
/** With STANDPIPE_FULL_TESTS=1, each server is tested with each rule alone, which takes minutes per server. */
const TEST_MS = 600_000;

describe('the outcomes do not depend on other rules and on the order', { timeout: TEST_MS }, () => {
  /** Rules that share a process. Heavy rules send megabytes. */
  const rules = serverRules.filter(({ uses, isHeavy }) => usually(uses !== 'own' && !isHeavy, true));
  const some = usually(shuffled(mistakes, generator(SEED)).slice(0, 3), mistakes);
  test.each(some)('for a server that makes the mistake $name', async ({ name, file, revision }) => {
    const options: CheckServerOptions = { ...wrongServer(name, file, revision), timeoutMs: 5_000 };
    await isIndependent(
      { rules, check: (only, arrange) => checkServer({ ...options, only }, arrange && { arrange }) },
      SEED,
    );
  });

  const liteRules = liteServerRules.filter(({ uses }) => usually(uses !== 'own', true));
  const someLite = usually(shuffled(liteMistakes, generator(SEED)).slice(0, 2), liteMistakes);
  test.each(someLite)('for a LiteMCP server that makes the mistake $name', async ({ name }) => {
    const options = { ...liteServer(name), timeoutMs: 5_000 };
    const check: Matrix<{ id: string }>['check'] = (only, arrange) =>
      checkLiteMcpServer({ ...options, only }, arrange && { arrange });
    await isIndependent({ rules: liteRules, check }, SEED);
  });
});

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Mulberry32: random numbers from 0 to 1 that a seed repeats. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
