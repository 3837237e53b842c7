// A check is bounded in memory and time, whatever the program under test does. The test counts the bytes that the check holds.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Budget, MOST_CHECK_BYTES } from '../../src/check/budget.ts';
import { checkClient } from '../../src/check/client/check-client.ts';
import { type RunOptions, runScenario } from '../../src/check/client/scenario.ts';
import { plain } from '../../src/check/client/scenarios.ts';
import { Deadline } from '../../src/check/in-parallel.ts';
import { checkLiteMcpClient } from '../../src/check/litemcp/client/check-lite-client.ts';
import { runScenario as runLiteScenario } from '../../src/check/litemcp/client/played-lite.ts';
import { plain as litePlain } from '../../src/check/litemcp/client/scenarios.ts';
import { checkLiteMcpServer } from '../../src/check/litemcp/server/check-lite-server.ts';
import type { CheckReport } from '../../src/check/report/report.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { Probe } from '../../src/check/server/probe.ts';
import { usually } from '../fixtures/repetitions.ts';

const hostile = join(import.meta.dirname, '../fixtures/check/hostile.mjs');
const MOST_REPORT_CHARS = 1024 * 1024;

function server(way: string) {
  return { command: process.execPath, args: [hostile, way] };
}

/** Longer than it takes to exhaust the memory, even on a busy machine. */
const timeoutMs = 60_000;

function client(way: string) {
  return { command: process.execPath, args: [hostile, way, '{server}'] };
}

function reasonsOf({ outcomes }: CheckReport): string {
  return outcomes
    .filter(isViolated)
    .map(({ reason }) => reason)
    .join('\n');
}

function isBounded(report: CheckReport, budget: Budget): void {
  expect(budget.peakBytes).toBeGreaterThan(0);
  expect(budget.peakBytes).toBeLessThanOrEqual(MOST_CHECK_BYTES);
  expect(JSON.stringify(report).length).toBeLessThan(MOST_REPORT_CHARS);
}

const some = ['large-answers', 'no-newline', 'questions'];
const others = ['many-values', 'long-lines', 'blank-lines', 'children'];

test.each(usually(some, [...some, ...others]))(
  'stops a server that exhausts memory with %s, and reports that',
  async (way) => {
    const budget = new Budget();
    const report = await checkServer(
      {
        ...server(way),
        timeoutMs,
        revisions: ['2025-11-25'],
        only: [
          'lifecycle/opens',
          'wire/only-messages',
          'jsonrpc/unknown-methods-are-refused',
          'jsonrpc/invalid-params',
        ],
      },
      { budget },
    );
    isBounded(report, budget);
    expect(reasonsOf(report)).toContain('MiB of memory');
  },
);

test.each(['stderr', 'deep-answers'])('a check runs to its end with a server that sends %s', async (way) => {
  const budget = new Budget();
  const only = ['wire/only-messages', 'jsonrpc/unknown-methods-are-refused'];
  const report = await checkServer({ ...server(way), revisions: ['2025-11-25'], only }, { budget });
  isBounded(report, budget);
  expect(report.outcomes.map(({ rule }) => rule)).toEqual(only);
});

test.each([
  ['many-comments', 'apps/html-documents', 'advice'],
  ['long-uris', 'methods/resource-uris', 'passed'],
  ['long-templates', 'methods/uri-templates', 'passed'],
])('judges a server with %s', async (way, rule, status) => {
  const { outcomes } = await checkServer({ ...server(way), timeoutMs, revisions: ['2025-11-25'], only: [rule] });
  expect(outcomes).toMatchObject([{ rule, status }]);
});

test.each(['lite-lines', 'lite-no-newline'])('stops a LiteMCP server that floods its stdout: %s', async (way) => {
  const budget = new Budget();
  const only = ['litemcp-wire/only-messages', 'litemcp-messages/get-is-answered'];
  const report = await checkLiteMcpServer({ ...server(way), timeoutMs, only }, { budget });
  isBounded(report, budget);
  expect(reasonsOf(report)).toContain('MiB of memory');
});

const mcpClient = { check: checkClient, run: (options: RunOptions) => runScenario(plain, options) };
const liteClient = { check: checkLiteMcpClient, run: (options: RunOptions) => runLiteScenario(litePlain, options) };

test.each([
  ['lines', mcpClient],
  ['no-newline', mcpClient],
  ['lite-lines', liteClient],
  ['lite-no-newline', liteClient],
] as const)('runs a client that floods its server once, and reports that: %s', async (way, { check }) => {
  const budget = new Budget();
  const report = await check(client(way), { budget });
  isBounded(report, budget);
  const reason = 'sent data to its server that takes more than 64 MiB of memory';
  expect(report.outcomes.filter(isViolated)).toEqual([
    expect.objectContaining({
      rule: expect.stringMatching(/\/opens$/),
      reason: `The rule was not tested completely: the client ${reason}.`,
    }),
  ]);
  expect(new Set(report.outcomes.map((outcome) => outcome.reason)).size).toBe(2);
  expect(report.outcomes.at(-1)).toMatchObject({ status: 'not applicable', reason: expect.stringContaining(reason) });
});

test.each([
  ['lines', mcpClient],
  ['no-newline', mcpClient],
  ['questions', mcpClient],
  ['lite-lines', liteClient],
  ['lite-no-newline', liteClient],
  ['lite-questions', liteClient],
] as const)('keeps 64 KiB of a client that floods its server with %s', async (way, { run }) => {
  const deadline = new Deadline(600_000);
  const { clientRun, servers } = await run({
    target: client(way),
    timeoutMs,
    signal: undefined,
    budget: new Budget(),
    deadline,
  });
  expect(clientRun.isFlooded).toBeDefined();
  const { entries } = clientRun.transcript;
  const received = servers.flatMap(({ frames, rest }) => [...frames.map(({ bytes }) => bytes), rest]);
  const sizes = [...entries.map(({ bytes }) => bytes), ...received].map(({ length }) => length);
  expect(sizes.reduce((sum, length) => sum + length, 0)).toBeLessThan(256 * 1024);
  expect(entries.length + servers.reduce((sum, { asked }) => sum + asked.length, 0)).toBeLessThan(256);
});

test('a check ends at its limit, although an answer may take longer', async () => {
  const opens = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = { ...params, serverInfo: { name: 'silent', version: '1' } };
    if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'ping') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  });`;
  const report = await checkServer({
    command: process.execPath,
    args: ['-e', opens],
    revisions: ['2025-11-25'],
    only: ['jsonrpc'],
    timeoutMs: 3_600_000,
    limitMs: 3_000,
  });
  expect(reasonsOf(report)).toBe('');
  const untested = report.outcomes.filter((outcome) => outcome.untested);
  expect(untested).not.toEqual([]);
  for (const { status, reason } of untested) {
    expect(status).toBe('not applicable');
    expect(reason).toContain('the check took longer than 3 s');
  }
});

test('a signal to a process that has exited is not an error', async () => {
  const probe = await Probe.start({ command: process.execPath, args: ['-e', ''] }, 60_000, new Budget());
  await probe.process.closed;
  await probe.stop();
  probe.kill('SIGTERM');
  expect(await probe.exitStatus()).toMatchObject({ exitCode: 0 });
});
