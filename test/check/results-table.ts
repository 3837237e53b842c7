// The results of the check on several servers, as Markdown in a section of a page.

import type { CheckReport, Outcome } from '../../src/check/report/report.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { familyOf } from '../../src/check/rule.ts';
import { replaceBetween } from '../interop/matrix-table.ts';

const BEGIN = '<!-- begin of the results of the check -->';
const END = '<!-- end of the results of the check -->';

/** A rule, and the revisions in which a server violates it. */
export interface Violated {
  rule: string;
  level: string;
  revisions: string;
}

export function replaceResults(page: string, results: string): string {
  return replaceBetween(page, BEGIN, END, results);
}

export function resultsMarkdown(reports: ReadonlyMap<string, CheckReport>): string {
  const outcomes = [...reports.values()].flatMap((report) => report.outcomes);
  const families = [...new Set(outcomes.map(({ rule }) => familyOf(rule)))];
  const rows = [...reports].map(([name, report]) => [
    name,
    report.revisions.join('<br>'),
    ...families.map((family) => cell(report.outcomes.filter(({ rule }) => familyOf(rule) === family))),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = ['', 'revisions', ...families];
  const table = [line(head), line(head.map((_, column) => (column < 2 ? '---' : ':---:'))), ...rows.map(line)];
  const titles = new Map(outcomes.map(({ rule, title }) => [rule, title]));
  const lists = [...reports].flatMap(([name, report]) => violationList(name, violationsOf(report.outcomes), titles));
  return [...table, '', ...lists].join('\n').trimEnd();
}

export function violationsOf(outcomes: readonly Outcome[]): Violated[] {
  const found = new Map<string, Violated>();
  for (const { rule, level, revision, status } of outcomes) {
    if (!isViolated({ status })) continue;
    const before = found.get(rule);
    found.set(rule, { rule, level, revisions: before ? `${before.revisions}, ${revision}` : `${revision}` });
  }
  return [...found.values()];
}

/** Violations that the page lists for a server. */
export function readViolations(page: string, name: string): Violated[] {
  const list = page.split(BEGIN)[1]?.split(END)[0]?.split(`\n**${name}**\n`)[1]?.split('\n**')[0] ?? '';
  return [...list.matchAll(/^- `(.+?)` \((.+?), in (.+?)\)/gm)].map(([, rule, level, revisions]) => ({
    rule: rule!,
    level: level!,
    revisions: revisions!,
  }));
}

/** Counts rules, not runs: a rule that is violated in one revision counts as violated. */
function cell(outcomes: readonly Outcome[]): string {
  const order = ['not applicable', 'passed', 'advice', 'warning', 'failed'];
  const byRule = new Map<string, number>();
  for (const { rule, status } of outcomes) {
    byRule.set(rule, Math.max(order.indexOf(status), byRule.get(rule) ?? 0));
  }
  const count = (status: string) => [...byRule.values()].filter((each) => order[each] === status).length;
  const signs = { passed: '✓', failed: '✗', warning: '!', advice: 'i', 'not applicable': '–' };
  const parts = Object.entries(signs).map(([status, sign]) => (count(status) > 0 ? `${count(status)} ${sign}` : ''));
  return parts.filter((part) => part !== '').join(', ');
}

function violationList(name: string, violated: readonly Violated[], titles: ReadonlyMap<string, string>): string[] {
  if (violated.length === 0) return [];
  const lines = violated.map(
    ({ rule, level, revisions }) => `- \`${rule}\` (${level}, in ${revisions}): ${titles.get(rule)}`,
  );
  return [`**${name}**`, '', ...lines, ''];
}
