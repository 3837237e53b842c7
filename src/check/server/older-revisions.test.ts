import { expect, test } from 'vitest';
import type { Revision } from '../../mcp/revisions.ts';
import type { Outcome, Status } from '../report/report.ts';
import { easeOlderRevisions } from './older-revisions.ts';

const supported: Revision[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
const outcome = (rule: string, revision: Revision, status: Status): Outcome => {
  return { rule, level: 'MUST', title: '', revision, status, durationMs: 0 };
};
const statusesOf = (outcomes: Outcome[], asked?: Revision[]) =>
  easeOlderRevisions(outcomes, supported, asked).map(({ status }) => status);
const batches = outcome('jsonrpc/batches-are-answered', '2025-03-26', 'failed');

test('a failure of a rule that exists only in an older revision is a warning that names the revision', () => {
  const [eased] = easeOlderRevisions([batches], supported);
  expect(eased).toMatchObject({ status: 'warning', level: 'MUST', note: expect.stringContaining('only 2025-03-26') });
});

test('a failure in an older revision is a warning if the newest one passed', () => {
  const outcomes = [outcome('wire/x', '2025-11-25', 'passed'), outcome('wire/x', '2025-06-18', 'failed')];
  expect(statusesOf(outcomes)).toEqual(['passed', 'warning']);
});

test('a rule that fails in the newest revision fails in all', () => {
  const outcomes = [outcome('wire/x', '2025-11-25', 'failed'), outcome('wire/x', '2025-06-18', 'failed')];
  expect(statusesOf(outcomes)).toEqual(['failed', 'failed']);
});

test('a failure in a requested revision stays a failure', () => {
  expect(statusesOf([batches], ['2025-03-26'])).toEqual(['failed']);
});

test('the newest supported revision of a server is not an older revision', () => {
  expect(easeOlderRevisions([batches], ['2025-03-26'])[0]).toBe(batches);
});
