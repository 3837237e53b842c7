// The check itself is bounded in time, whatever a server does.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../../src/check/report/problems.ts';
import { textOf } from '../../src/check/report/text.ts';
import { checkServer } from '../../src/check/server/check-server.ts';

const program = join(import.meta.dirname, '../fixtures/check/server.mjs');

test('rules that the check does not reach within its limit are reported as violated, each', async () => {
  const options = { command: process.execPath, args: [program], revisions: ['2025-11-25'] as const, timeoutMs: 60_000 };
  const only = ['jsonrpc', 'wire'];
  const whole = await checkServer({ ...options, only });
  const cut = await checkServer({ ...options, only, limitMs: 0 });
  expect(cut.outcomes.map(({ rule }) => rule)).toEqual(whole.outcomes.map(({ rule }) => rule));
  const missed = cut.outcomes.filter(({ reason }) => reason?.startsWith('The rule was not tested'));
  expect(missed.length).toBeGreaterThan(20);
  expect(new Set(missed.map(({ status, level }) => `${level} ${status}`))).toEqual(
    new Set(['MUST failed', 'SHOULD warning', 'ADVICE advice']),
  );
  expect(missed.filter(({ fix, untested }) => fix !== undefined || !untested)).toEqual([]);
  const problems = problemsOf(cut);
  expect(problems.map(({ head }) => head.first.untested === true)).toEqual([
    ...problems.slice(1).map(() => false),
    true,
  ]);
  expect(textOf(cut)).toMatch(
    /^✗ Not tested in time: \d+ rules\n {2}The rule was not tested: .*\n {4}wire\/.*, jsonrpc\//m,
  );
});
