// A check is bounded in time, whatever a server does.

import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { junitOf } from '../../src/check/report/junit.ts';
import { isIncomplete } from '../../src/check/report/report.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { textOf } from '../../src/check/report/text.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const program = join(import.meta.dirname, '../fixtures/check/server.mjs');

test('rules after the time limit of the check are untested, neither violated nor passed', async () => {
  const options = { command: process.execPath, args: [program], revisions: ['2025-11-25'] as const, timeoutMs: 60_000 };
  const only = ['jsonrpc', 'wire'];
  const whole = await checkServer({ ...options, only });
  const cut = await checkServer({ ...options, only, limitMs: 0 });
  expect(cut.outcomes.map(({ rule }) => rule)).toEqual(whole.outcomes.map(({ rule }) => rule));
  const missed = cut.outcomes.filter(({ untested }) => untested);
  expect(missed.length).toBeGreaterThan(20);
  expect(new Set(missed.map(({ status }) => status))).toEqual(new Set(['not applicable']));
  expect(cut.outcomes.filter(isViolated)).toEqual([]);
  expect([isIncomplete(whole), isIncomplete(cut)]).toEqual([false, true]);
  expect(textOf(cut)).toMatch(
    /^Not tested: \d+ rules, because the check took longer than 0 s: raise --timeout .* with --only$/m,
  );
  expect(junitOf(cut)).toContain(` errors="${missed.length}" `);
});

/** A server that answers sequentially, each request after at least 100 ms, and counts its answers in a file. */
const slow = `
  const lines = [];
  let rest = '';
  const next = () => {
    const { id, method, params } = JSON.parse(lines[0]);
    const serverInfo = { name: 'slow', version: '1' };
    const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo } : {};
    const done = () => {
      if (id !== undefined) {
        require('node:fs').appendFileSync(process.argv[1], '.');
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      }
      lines.shift();
      if (lines.length > 0) next();
    };
    if (id === undefined) done();
    else setTimeout(done, 100);
  };
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const [last, ...others] = (rest + chunk).split('\\n').reverse();
    rest = last;
    if (lines.push(...others.reverse()) === others.length && others.length > 0) next();
  });`;

test('a rule continues as long as answers arrive, independently of the total time', async () => {
  const answers = join(temporaryFolder('limits'), 'answers');
  const options = { command: process.execPath, args: ['-e', slow, answers], revisions: ['2025-11-25'] as const };
  const report = await checkServer({
    ...options,
    only: ['robustness/slow-reader'],
    timeoutMs: 1_500,
    limitMs: 120_000,
  });
  expect(report.outcomes).toMatchObject([{ status: 'passed' }]);
  // 100 answers take at least six times the limit of one.
  expect(readFileSync(answers, 'utf8').length).toBeGreaterThan(100);
});

test('a check has one listener on its signal, whatever the number of its processes', async () => {
  const { signal } = new AbortController();
  const listeners: number[] = [];
  const onoutcome = () => listeners.push(getEventListeners(signal, 'abort').length);
  const options = { command: process.execPath, args: [program], timeoutMs: 60_000, signal, onoutcome };
  await checkServer({ ...options, only: ['lifecycle/ends-*', 'jsonrpc/parse-error'] });
  expect(Math.max(...listeners)).toBe(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an abort stops the processes of all revisions', async () => {
  const abort = new AbortController();
  const done = checkServer({
    command: process.execPath,
    args: [program],
    only: ['jsonrpc'],
    timeoutMs: 600_000,
    signal: abort.signal,
    onoutcome: () => abort.abort(new Error('enough')),
  });
  await expect(done).rejects.toThrow('enough');
});
