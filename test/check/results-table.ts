// The results of the check on many servers as Markdown, and their place in a page.

import type { CheckReport, Outcome } from '../../src/check/report/report.ts';
import { familyOf } from '../../src/check/rule.ts';
import { replaceBetween } from '../interop/matrix-table.ts';

const BEGIN = '<!-- begin of the results of the check -->';
const END = '<!-- end of the results of the check -->';

export function replaceResults(page: string, results: string): string {
  return replaceBetween(page, BEGIN, END, results);
}

export function resultsMarkdown(reports: ReadonlyMap<string, CheckReport>): string {
  const families = [
    ...new Set([...reports.values()].flatMap(({ outcomes }) => outcomes.map(({ rule }) => familyOf(rule)))),
  ];
  const rows = [...reports].map(([name, { revisions, outcomes }]) => [
    name,
    revisions.join('<br>'),
    ...families.map((family) => cell(outcomes.filter(({ rule }) => familyOf(rule) === family))),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = ['', 'revisions', ...families];
  const table = [line(head), line(head.map((_, column) => (column < 2 ? '---' : ':---:'))), ...rows.map(line)];
  return [...table, '', ...[...reports].flatMap(([name, { outcomes }]) => violations(name, outcomes))]
    .join('\n')
    .trimEnd();
}

/** Rules, not runs: a rule that is violated in one revision counts as violated. */
function cell(outcomes: readonly Outcome[]): string {
  const byRule = new Map<string, string>();
  const order = ['not applicable', 'passed', 'warning', 'failed'];
  for (const { rule, status } of outcomes) {
    if (order.indexOf(status) >= order.indexOf(byRule.get(rule) ?? 'not applicable')) byRule.set(rule, status);
  }
  const count = (status: string) => [...byRule.values()].filter((each) => each === status).length;
  const parts = [
    [count('passed'), '✓'],
    [count('failed'), '✗'],
    [count('warning'), '!'],
    [count('not applicable'), '–'],
  ] as const;
  return parts.flatMap(([number, sign]) => (number > 0 ? `${number} ${sign}` : [])).join(' ') || '–';
}

function violations(name: string, outcomes: readonly Outcome[]): string[] {
  const byRule = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    if (outcome.status !== 'failed' && outcome.status !== 'warning') continue;
    byRule.set(outcome.rule, [...(byRule.get(outcome.rule) ?? []), outcome]);
  }
  if (byRule.size === 0) return [];
  const lines = [...byRule].map(([rule, [first, ...rest]]) => {
    const revisions = [first!, ...rest].map(({ revision }) => revision).join(', ');
    return `- ${first!.status === 'failed' ? '✗' : '!'} \`${rule}\` (${revisions}): ${first!.title}`;
  });
  return [`**${name}**`, '', ...lines, ''];
}
