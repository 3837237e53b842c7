// Rules about a call that takes seconds. The outcome depends on the behaviour of the server during the call, not on its speed.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkServer } from '../../src/check/server/check-server.ts';

const PING = 'jsonrpc/ping-during-a-call';
const REQUESTS = 'jsonrpc/requests-during-a-call';
const CANCELLED = 'methods/cancelled-requests-are-not-answered';
const ENDS = 'lifecycle/ends-during-a-call';
const FOR_EVER_MS = 1_000_000;
const LONG_MS = 10_000;

async function check(mistake: string, only: readonly string[], ms?: number, timeoutMs = 60_000) {
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: [join(import.meta.dirname, '../fixtures/check/long-calls.mjs'), mistake],
    revisions: ['2025-11-25'],
    timeoutMs,
    only,
    ...(ms !== undefined && { longCall: { name: 'work', arguments: { ms } } }),
  });
  const byRule = new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
  return only.map((id) => byRule.get(id)!);
}

test.concurrent('a server that answers during a call and stops cancelled calls violates no rule', async () => {
  const outcomes = await check('none', [PING, REQUESTS, CANCELLED, ENDS], FOR_EVER_MS);
  expect(outcomes.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'passed']);
});

test.concurrent('a server that blocks during a call fails, although it can read a request that arrives with the call', async () => {
  const [ping, requests] = await check('blocks', [PING, REQUESTS], LONG_MS);
  expect(ping).toMatchObject({ status: 'failed', reason: '`ping` was not answered before `work` ended.' });
  expect(requests).toMatchObject({ status: 'advice', reason: '`tools/list` was not answered before `work` ended.' });
  const frames = ping!.evidence!.map(({ kind, text }) => `${kind} ${text}`);
  expect(frames[0]).toMatch(/^sent .*"tools\/call"/);
  expect(frames[1]).toMatch(/^sent .*"ping"/);
  expect(frames[2]).toMatch(/^received .*"done"/);
});

test.concurrent('the rules about a long call do not apply to a call that ends at once', async () => {
  for (const { rule, status, reason } of await check('none', [PING, REQUESTS, CANCELLED, ENDS], 1)) {
    expect({ rule, status, reason }).toEqual({
      rule,
      status: 'not applicable',
      reason: 'the call of `work` is not long: name one that takes at least 5 s with --long-call',
    });
  }
});

test.concurrent.each([
  ['ignores-cancellation', LONG_MS],
  ['answers-cancelled', FOR_EVER_MS],
])('%s: an answer to a cancelled call is a violation, also if it comes late', async (mistake, ms) => {
  const [outcome] = await check(mistake, [CANCELLED], ms);
  expect(outcome).toMatchObject({ status: 'warning', reason: 'The request was answered after it was cancelled.' });
  const frames = outcome!.evidence!.map(({ kind, text }) => `${kind} ${text}`);
  expect(frames.map((frame) => /tools\/call|notifications\/cancelled|"done"/.exec(frame)?.[0])).toEqual([
    'tools/call',
    'notifications/cancelled',
    '"done"',
  ]);
});

test.concurrent('progress that comes after the answer to a later request is a violation', async () => {
  const [outcome] = await check('reports-late', ['methods/progress-stops']);
  expect(outcome).toMatchObject({ status: 'failed', reason: 'The server sent progress after the answer.' });
});

test.concurrent('a tool that answers no call is one finding, and its arguments are not judged', async () => {
  const ofArguments = ['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked'];
  const [first, ...others] = await check('hangs', ['methods/calls-are-answered', ...ofArguments], undefined, 4_000);
  expect(first).toMatchObject({ status: 'advice', reason: 'The call of "work" was not answered within 4 s.' });
  for (const { status, reason } of others) {
    expect(status).toBe('not applicable');
    expect(reason).toMatch(/^the call of "work" was not answered within 2\.5 s/);
  }
});
