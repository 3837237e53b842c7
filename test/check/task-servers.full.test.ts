// Servers with tasks: the server of the conformance suite, and servers whose tasks cannot be tested.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

async function checkTasks(options: CheckServerOptions) {
  const { outcomes } = await checkServer({ timeoutMs: 20_000, only: ['tasks'], ...options });
  return outcomes;
}

test('every rule applies to the server of the conformance suite, which violates none', async () => {
  const names = ['greet', 'failing_job', 'protocol_error_job', 'confirm_delete', 'multi_input', 'test_tool_with_task'];
  const outcomes = await checkTasks({
    command: process.execPath,
    args: [join(fixtures, 'conformance/our-server.mjs')],
    allowCalls: names.map((name) => ({ name })),
    longCall: { name: 'slow_compute', arguments: { seconds: 600 } },
  });
  expect(outcomes.filter(({ status }) => status !== 'passed')).toEqual([]);
});

test('the reason for tools that may not be called names --allow-calls', async () => {
  const args = [join(fixtures, 'tasks/requires-tasks.mjs')];
  const only = ['tasks/created-task', 'tasks/unknown-tasks-are-not-read'];
  const outcomes = await checkTasks({ command: process.execPath, args, only, revisions: ['2026-07-28'] });
  expect(outcomes).toMatchObject([
    { rule: only[0], status: 'not applicable', reason: expect.stringContaining('--allow-calls') },
    { rule: only[1], status: 'passed' },
  ]);
});

test('the rules are not applicable to a server without tasks', async () => {
  const outcomes = await checkTasks({ command: process.execPath, args: [join(fixtures, 'tasks/slow-server.mjs')] });
  expect(outcomes.filter(({ status }) => status !== 'not applicable')).toEqual([]);
  expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set(['the server does not declare tasks']));
});

test.each([
  ['none', []],
  ['numeric-id', ['tasks/created-task']],
  ['numeric-time', ['tasks/created-task']],
  ['unknown-status', ['tasks/read-task']],
  ['complete', ['tasks/result-type']],
  ['short-id', ['tasks/unguessable-ids']],
])('the task of the long call is judged if no other call becomes one: %s', async (mistake, violated) => {
  const outcomes = await checkTasks({
    command: process.execPath,
    args: [join(fixtures, 'check/long-task.mjs'), mistake],
    revisions: ['2026-07-28'],
    longCall: { name: 'work' },
    only: ['tasks/created-task', 'tasks/read-task', 'tasks/result-type', 'tasks/unguessable-ids'],
  });
  expect(outcomes.filter(isViolated).map(({ rule }) => rule)).toEqual(violated);
  expect(outcomes.map(({ status }) => status)).toContain('passed');
});

test('the reason names --long-call if no task is known', async () => {
  const options = { command: process.execPath, args: [join(fixtures, 'check/long-task.mjs')] };
  const outcomes = await checkTasks({ ...options, revisions: ['2026-07-28'], only: ['tasks/created-task'] });
  expect(outcomes).toMatchObject([
    { status: 'not applicable', reason: expect.stringMatching(/--(long-call|allow-calls)/) },
  ]);
});
