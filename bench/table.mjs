// Figures as Markdown tables that are also readable as plain text.

import { differenceOf, ratioOf } from './measure.mjs';

const NONE = '–';

export function scenarioTable({ name, title, metrics, contenders, ratios, differences, cases }) {
  const pairs = [
    ...ratios.map(([ours, theirs]) => `${ours}/${theirs}`),
    ...differences.map(([ours, theirs]) => `${ours} − ${theirs}`),
  ];
  const head = ['', ...contenders, ...pairs, 'spread'];
  const rows = cases.flatMap((each) =>
    metrics
      .filter(({ key }) => each.metrics.includes(key))
      .map(({ key, label, digits }) => [
        `${each.label}: ${label}`,
        ...each.cells.map((cell) => figure(cell.medians[key], digits) ?? (cell.failed ? 'fails' : NONE)),
        ...ratios.map(([ours, theirs]) => figure(ratioOf(each, ours, theirs, key), 2) ?? NONE),
        ...differences.map(([ours, theirs]) => figure(differenceOf(each, ours, theirs, key), digits) ?? NONE),
        spread(each.cells, key),
      ]),
  );
  const heading = `### ${name}: ${title}`;
  return [heading, '', grid(head, rows), ...remarks(cases)].join('\n');
}

export function targetsTable(targets) {
  const rows = targets.map(({ text, value, limit, reached }) => [
    text,
    limit,
    figure(value, 2) ?? NONE,
    reached === undefined ? 'not measured' : reached ? 'yes' : 'no',
  ]);
  return `### targets\n\n${grid(['', 'wanted', 'measured', 'reached'], rows)}`;
}

/** Range of the samples of the least steady contender, in percent of their median. */
function spread(cells, key) {
  const spreads = cells
    .filter((cell) => cell.medians[key] > 0)
    .map(({ samples, medians }) => {
      const values = samples.map((sample) => sample[key]);
      return (Math.max(...values) - Math.min(...values)) / medians[key];
    });
  return spreads.length > 0 ? `${Math.round(Math.max(...spreads) * 100)} %` : NONE;
}

/** Explains cells without a figure. */
function remarks(cases) {
  const lines = cases.flatMap(({ label, cells }) =>
    cells
      .filter((cell) => cell.failed || cell.skipped)
      .map(({ contender, failed, skipped }) =>
        failed ? `- ${label}, ${contender}: fails: ${failed}` : `- ${label}, ${contender}: not tried: ${skipped}`,
      ),
  );
  return lines.length > 0 ? ['', ...lines] : [];
}

function figure(value, digits) {
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Aligns the first column to the left and figures to the right. */
function grid(head, rows) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
