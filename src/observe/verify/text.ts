// The report for a terminal: failures first, then other differences, and a summary.

import { type Colour, type Paint, painter } from '../../base/terminal/colours.ts';
import { counted } from '../../base/terminal/counted.ts';
import { visible, visibleLine } from '../../base/terminal/visible.ts';
import type { DefinitionChange } from '../../mcp/definition-change.ts';
import { shownValue } from '../replay/differences.ts';
import {
  type VerifyDifference,
  type VerifyReport,
  type VerifyResult,
  type VerifySide,
  verifyStatuses,
} from './report.ts';
import type { VerifyRule } from './rules.ts';

export interface VerifyTextOptions {
  paint?: Paint;
  /** Lists all requests and all differences. */
  verbose?: boolean;
}

export const statusWords = {
  failing: 'newly failing',
  different: 'different',
  fixed: 'fixed',
  skipped: 'not run',
  same: 'same',
} as const;

const marks = { failing: '✗', different: '~', fixed: '+', skipped: '–', same: '✓' } as const;
const colours = { failing: 'red', different: 'yellow', fixed: 'green', skipped: 'dim', same: 'green' } as const;
/** Differences of one request that are listed without `verbose`. */
const MOST_LISTED = 10;
const MOST_NAMES = 10;

export function verifyText(report: VerifyReport, { paint = painter(false), verbose = false }: VerifyTextOptions = {}) {
  const { results, learned } = report;
  const lines: string[] = [];
  for (const status of verifyStatuses) {
    if (status === 'skipped' && !verbose) lines.push(...skippedLines(results, paint));
    else if (status !== 'same' || verbose) {
      for (const result of results) if (result.status === status) lines.push(...resultLines(result, paint, verbose));
    }
  }
  lines.push(...slowerLines(results, paint));
  for (const warning of report.warnings) lines.push(`${paint('yellow', 'warning:')} ${visibleLine(warning)}`);
  if (report.restarts > 0) lines.push(`The server exited and was started again: ${counted(report.restarts, 'time')}`);
  for (const rule of learned) lines.push(ruleLine(rule, paint));
  if (report.updated > 0) lines.push(`Updated ${counted(report.updated, 'answer')} of ${visibleLine(report.file)}`);
  return `${[...lines, summaryOf(report)].join('\n')}\n`;
}

export function summaryOf({ counts }: VerifyReport): string {
  const parts = verifyStatuses.toReversed().map((status) => `${counts[status]} ${statusWords[status]}`);
  return `${parts.join(', ')}${counts.slower > 0 ? `, ${counts.slower} slower` : ''}`;
}

export function nameOfResult({ number, method, target }: VerifyResult): string {
  const name = target === undefined ? method : `${method} ${target}`;
  return number === 0 ? name : `${name} (request ${number})`;
}

function resultLines(result: VerifyResult, paint: Paint, verbose: boolean): string[] {
  const { status, params, reason, isUpdated, stderr, changes = [], differences } = result;
  const head = `${marks[status]} ${visibleLine(nameOfResult(result))}`;
  const shown = params === undefined || params === '{}' ? '' : ` ${paint('dim', visibleLine(params))}`;
  const updated = isUpdated ? ' (updated)' : '';
  const lines = [`${paint(colours[status], head)}: ${statusWords[status]}${outcomes(result)}${updated}${shown}`];
  if (reason !== undefined) lines.push(`    ${visibleLine(reason)}`);
  for (const change of changes) lines.push(...changeLines(change, paint));
  const most = verbose ? differences.length : MOST_LISTED;
  for (const difference of differences.slice(0, most)) lines.push(`    ${visibleLine(differenceText(difference))}`);
  if (differences.length > most) lines.push(`    and ${counted(differences.length - most, 'more difference')}`);
  if (stderr !== undefined)
    lines.push(
      ...visible(stderr)
        .trimEnd()
        .split('\n')
        .slice(-5)
        .map((line) => `    stderr: ${line}`),
    );
  return lines;
}

function outcomes({ before, after }: VerifyResult): string {
  if (!before || !after || before.outcome === after.outcome) return '';
  return ` (${outcomeText(before)} → ${outcomeText(after)})`;
}

function outcomeText({ outcome }: VerifySide): string {
  return outcome === 'lost' ? 'the connection was lost' : outcome;
}

export function differenceText({ path, before, after, isOrder }: VerifyDifference): string {
  const place = path === '' ? 'the answer' : path;
  if (isOrder) return `${place} has another order: ${shownValue(before)} → ${shownValue(after)}`;
  return `${place}: ${shownValue(before)} → ${shownValue(after)}`;
}

const kinds = { added: '+', removed: '-', changed: '~' } as const;
const kindColours: Readonly<Record<keyof typeof kinds, Colour>> = { added: 'green', removed: 'red', changed: 'yellow' };

function changeLines(change: DefinitionChange, paint: Paint): string[] {
  const [head, ...others] = changeTexts(change);
  return [
    `    ${paint(kindColours[change.kind], visibleLine(head!))}`,
    ...others.map((line) => `      ${visibleLine(line)}`),
  ];
}

/** The first text names the definition, the others are its changes. */
export function changeTexts({ what, name, kind, changes }: DefinitionChange): string[] {
  const texts = changes.map(({ path, effect, text }) => `${path} ${text}${effect === 'breaking' ? ' (breaking)' : ''}`);
  return [`${kinds[kind]} ${what}${name === '' ? '' : ` ${name}`}`, ...texts];
}

/** One line for each reason. */
function skippedLines(results: readonly VerifyResult[], paint: Paint): string[] {
  const byReason = new Map<string, VerifyResult[]>();
  for (const result of results) {
    if (result.status !== 'skipped') continue;
    const reason = result.reason ?? '';
    const all = byReason.get(reason);
    if (all) all.push(result);
    else byReason.set(reason, [result]);
  }
  return [...byReason].map(([reason, all]) => {
    const names = [
      ...new Set(all.map(({ method, target }) => (target === undefined ? method : `${method} ${target}`))),
    ];
    const shown = names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
    const head = `${marks.skipped} ${counted(all.length, 'request')} not run`;
    return `${paint(colours.skipped, head)}: ${visibleLine(reason)}: ${visibleLine(shown)}`;
  });
}

function slowerLines(results: readonly VerifyResult[], paint: Paint): string[] {
  const slower = results.filter(({ isSlower }) => isSlower);
  return slower.map((result) => {
    const times = [result.before, result.after].map((side) => `${Math.round(side?.durationMs ?? 0)} ms`).join(' → ');
    return `${paint('yellow', '!')} ${visibleLine(nameOfResult(result))}: slower, ${times}`;
  });
}

const broad: ReadonlySet<string> = new Set(['text', 'ignore']);

function ruleLine({ method = '*', target, path, accept }: VerifyRule, paint: Paint): string {
  const name = visibleLine(target === undefined ? method : `${method} ${target}`);
  const text = `learned: ${name}: ${accept} ${visibleLine(path)}`;
  return broad.has(accept) ? `${paint('yellow', text)} (accepts any value: check whether it may vary)` : text;
}
