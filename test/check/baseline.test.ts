// Violations that a baseline accepts, and the file of a baseline.

import { expect, test } from 'vitest';
import { applyBaseline, baselineOf, parseBaseline } from '../../src/check/report/baseline.ts';
import { junitOf } from '../../src/check/report/junit.ts';
import { isFailure } from '../../src/check/report/report.ts';
import { textOf } from '../../src/check/report/text.ts';
import { madeReport } from './made-report.ts';

const rules = madeReport.outcomes.map(({ rule }) => rule);
const named = { file: 'b.json', rules };
const failures = (report: typeof madeReport) =>
  report.outcomes.filter((outcome) => isFailure(outcome, true)).map(({ rule }) => rule);

test('the file has an entry for each violated rule, sorted, and is the same in each run', () => {
  const text = baselineOf(madeReport, rules);
  expect(JSON.parse(text)).toEqual({
    standpipe: 'check baseline',
    version: 1,
    findings: [
      { rule: 'jsonrpc/unknown-method', revisions: ['2026-07-28'], reason: 'The server did not answer.' },
      { rule: 'wire/only-messages', revisions: ['2026-07-28'], reason: expect.any(String) },
    ],
  });
  expect(baselineOf({ ...madeReport, outcomes: madeReport.outcomes.toReversed() }, rules)).toBe(text);
});

test('accepted violations do not fail the check, are named in the report, and pass in JUnit XML', () => {
  const accepted = applyBaseline(madeReport, parseBaseline(baselineOf(madeReport, rules), 'b.json'), named);
  expect(failures(madeReport)).toEqual(['wire/only-messages', 'jsonrpc/unknown-method']);
  expect(failures(accepted)).toEqual([]);
  const text = textOf(accepted);
  expect(text).toContain('Accepted by the baseline: wire/only-messages, jsonrpc/unknown-method\n');
  expect(text).toMatch(/^6 rules: 1 passed, 2 accepted by the baseline, 1 advice/m);
  expect(text).not.toMatch(/^[✗!]|--skip/m);
  expect(junitOf(accepted, { strict: true })).toContain('failures="0"');
  expect(junitOf(accepted)).toContain('accepted by the baseline: stdout carries only messages');
});

test('a new violation fails, and so does a known one in another revision', () => {
  const old = { findings: [{ rule: 'wire/only-messages', revisions: ['2025-11-25'] }] };
  expect(failures(applyBaseline(madeReport, old, named))).toEqual(['wire/only-messages', 'jsonrpc/unknown-method']);
});

test('entries that are no longer violated, or whose rule does not exist, are stale; untested entries are not', () => {
  const before = {
    findings: [
      { rule: 'lifecycle/obeys-cancellation', revisions: ['2025-11-25'], reason: 'was not obeyed' },
      { rule: 'lifecycle/opens', revisions: ['2026-07-28', '2025-11-25', '2024-11-05'] },
      { rule: 'wire/gone', revisions: ['2025-11-25'] },
    ],
  };
  const report = applyBaseline(madeReport, before, named);
  expect(report.baseline).toEqual({
    file: 'b.json',
    stale: [{ rule: 'lifecycle/opens', revisions: ['2026-07-28', '2025-11-25'] }, { rule: 'wire/gone' }],
  });
  expect(textOf(report)).toContain('removes them): lifecycle/opens (2026-07-28, 2025-11-25), wire/gone');
  const { findings } = JSON.parse(baselineOf(madeReport, rules, before));
  expect(findings.slice(1, 3)).toEqual([
    { rule: 'lifecycle/obeys-cancellation', revisions: ['2025-11-25'], reason: 'was not obeyed' },
    { rule: 'lifecycle/opens', revisions: ['2024-11-05'] },
  ]);
});

test.each([
  ['nonsense', 'it is not JSON'],
  ['{}', '"standpipe" is not "check baseline"'],
  ['{"standpipe":"check baseline","version":2}', 'its version is not 1'],
  ['{"standpipe":"check baseline","version":1,"findings":[{"rule":1}]}', '"findings" is not a list'],
])('refuses %s as a baseline', (text, reason) => {
  expect(() => parseBaseline(text, 'b.json')).toThrow(`"b.json" is not a baseline: ${reason}`);
});
