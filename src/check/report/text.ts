// The report for a terminal: the rules by family, the violations with their frames, and a summary. Text of the other end is escaped.

import { type Colour, type Paint, painter } from '../../base/terminal/colours.ts';
import { counted } from '../../base/terminal/counted.ts';
import { cutToWidth, wrapToWidth } from '../../base/terminal/text-width.ts';
import { visible, visibleLine } from '../../base/terminal/visible.ts';
import type { CheckReport, EvidenceLine, Outcome, Status } from './report.ts';
import {
  byFamily,
  isViolated,
  type OutcomeGroup,
  type RuleResult,
  ruleResults,
  summaryOf,
  untested,
  worstOf,
} from './rule-results.ts';

export interface TextOptions {
  paint?: Paint;
  /** Columns to wrap at. Default: lines are not wrapped. */
  width?: number;
  /** Lists rules that are not applicable, and shows frames in full. */
  verbose?: boolean;
}

const marks: Readonly<Record<Status, string>> = {
  passed: '✓',
  failed: '✗',
  warning: '!',
  advice: 'i',
  'not applicable': '–',
};
const colours = { passed: 'green', failed: 'red', warning: 'yellow', advice: 'cyan', 'not applicable': 'dim' } as const;
const labels: Readonly<Record<EvidenceLine['kind'], string>> = {
  sent: '→',
  received: '←',
  stderr: 'stderr',
  event: '·',
};
/** Of one violation, unless verbose. What was sent is often at the start, what is wrong at the end. */
const FIRST_FRAMES = 5;
const LAST_FRAMES = 7;
const SHOWN_CHARS = 300;

export function textOf(report: CheckReport, options: TextOptions = {}): string {
  const lines = new Lines(options);
  const results = ruleResults(report);
  head(report, lines);
  for (const [family, ofFamily] of byFamily(results)) familyLines(family, ofFamily, lines);
  // The end of a long output is what is read first.
  for (const status of ['advice', 'warning', 'failed']) {
    for (const result of results) if (result.status === status) violationLines(result, lines);
  }
  if (options.verbose) evidenceOfOthers(results, lines);
  foot(report, results, lines);
  return lines.text();
}

/** Reason, specification, frames and fix of one rule, as the message of an error. */
export function violationText(result: RuleResult): string {
  const lines = new Lines({});
  violationLines(result, lines);
  return lines.text().trim();
}

class Lines {
  readonly paint: Paint;
  readonly verbose: boolean;
  readonly #width: number;
  readonly #lines: string[] = [];

  constructor({ paint = painter(false), width = Number.POSITIVE_INFINITY, verbose = false }: TextOptions) {
    this.paint = paint;
    this.verbose = verbose;
    this.#width = width;
  }

  add(indent: number, text: string, colour?: Colour): void {
    for (const line of wrapToWidth(text, this.#width - indent)) this.#push(indent, '', line, colour);
  }

  /** The lines of the text are aligned behind the label. */
  labelled(indent: number, label: string, text: string, colour: Colour, textColour?: Colour): void {
    const from = indent + label.length + 1;
    for (const [at, line] of wrapToWidth(text, this.#width - from).entries()) {
      if (at === 0) this.#push(indent, `${this.paint(colour, label)} `, line, textColour);
      else this.#push(from, '', line, textColour);
    }
  }

  #push(indent: number, label: string, line: string, colour: Colour | undefined): void {
    this.#lines.push(`${' '.repeat(indent)}${label}${colour && line ? this.paint(colour, line) : line}`);
  }

  blank(): void {
    this.#lines.push('');
  }

  text(): string {
    return `${this.#lines.map((line) => line.trimEnd()).join('\n')}\n`;
  }
}

function head(report: CheckReport, lines: Lines): void {
  const { role, protocol, command, name, version, revisions } = report;
  const introduced = name === undefined ? '' : `: ${visibleLine([name, version ?? ''].join(' ').trim())}`;
  const spoken = revisions.length > 0 ? `; revisions ${revisions.join(', ')}` : '';
  lines.add(0, visibleLine(command), 'bold');
  lines.add(0, `${protocol === 'mcp' ? 'MCP' : 'LiteMCP'} ${role}${introduced}${spoken}`);
}

function familyLines(family: string, results: readonly RuleResult[], lines: Lines): void {
  lines.blank();
  lines.add(0, family, 'bold');
  const unfit = results.filter(({ status }) => status === 'not applicable');
  for (const result of lines.verbose ? results : results.filter((each) => !unfit.includes(each))) {
    const { status, id, title } = result;
    lines.labelled(2, marks[status], `${id}  ${title}${differences(result, lines.verbose)}`, colours[status]);
  }
  if (unfit.length > 0 && !lines.verbose) lines.add(2, `– ${counted(unfit.length, 'rule')} not applicable`, 'dim');
}

/** Where the rule did not end the same way in all revisions: which are which. */
function differences({ status, groups }: RuleResult, verbose: boolean): string {
  if (status === 'not applicable') return groups.map(({ first }) => ` (${visibleLine(first.reason ?? '')})`).join('');
  const shown = verbose ? groups : groups.filter(({ first }) => first.status !== 'not applicable');
  if (new Set(shown.map(({ first }) => first.status)).size < 2) return '';
  return ` (${shown.map(({ first, revisions }) => `${first.status} in ${revisions.join(', ')}`).join('; ')})`;
}

function violationLines({ id, title, groups }: RuleResult, lines: Lines): void {
  for (const group of groups.filter(({ first }) => isViolated(first))) {
    const { first, revisions } = group;
    // Advice is not a sentence of a revision.
    const where = revisions.length > 0 && first.level !== 'ADVICE' ? `, in ${revisions.join(', ')}` : '';
    lines.blank();
    lines.labelled(0, marks[first.status], `${id}  ${title} (${first.level}${where})`, colours[first.status], 'bold');
    lines.add(2, visible(first.reason ?? ''));
    if (first.says !== undefined) lines.labelled(2, 'rule:', first.says, 'cyan');
    if (first.link !== undefined) lines.add(2, first.link, 'dim');
    framesOf(group, lines);
    if (first.fix !== undefined) lines.labelled(2, 'fix:', first.fix, 'cyan');
  }
}

/** Of the newest revision; all of them if verbose. */
function framesOf({ outcomes }: OutcomeGroup, lines: Lines): void {
  for (const outcome of lines.verbose ? outcomes : outcomes.slice(0, 1)) {
    if (lines.verbose && outcome.revision && outcome.evidence?.length) lines.add(4, outcome.revision, 'bold');
    frameLines(outcome, lines);
  }
}

function frameLines({ evidence = [] }: Outcome, lines: Lines): void {
  const left = evidence.length - FIRST_FRAMES - LAST_FRAMES;
  const isCut = !lines.verbose && left > 1;
  for (const line of isCut ? evidence.slice(0, FIRST_FRAMES) : evidence) frameLine(line, lines);
  if (!isCut) return;
  lines.add(4, `… ${counted(left, 'line')}`, 'dim');
  for (const line of evidence.slice(-LAST_FRAMES)) frameLine(line, lines);
}

function frameLine({ kind, text, bytes }: EvidenceLine, lines: Lines): void {
  const isCut = !lines.verbose && text.length > SHOWN_CHARS;
  const start = isCut ? `${cutToWidth(text, SHOWN_CHARS)} (${counted(bytes, 'byte')})` : text;
  lines.labelled(4, labels[kind], visible(start.trimEnd()), 'dim');
}

/** With all evidence: what was sent and received for rules that are not violated. */
function evidenceOfOthers(results: readonly RuleResult[], lines: Lines): void {
  for (const { id, groups } of results) {
    for (const group of groups.filter(({ first }) => !isViolated(first))) {
      const { first, revisions } = group;
      if (!first.evidence?.length) continue;
      const where = revisions.length > 0 ? ` in ${revisions.join(', ')}` : '';
      lines.blank();
      lines.labelled(0, marks[first.status], `${id}  ${first.status}${where}`, colours[first.status], 'bold');
      framesOf(group, lines);
    }
  }
}

function foot({ durationMs }: CheckReport, results: readonly RuleResult[], lines: Lines): void {
  lines.blank();
  for (const [reason, rules] of untested(results)) {
    lines.add(0, `Not tested: ${counted(rules.length, 'rule')}, because ${visibleLine(reason)}`);
  }
  if (!lines.verbose && results.some(({ status }) => status === 'not applicable')) {
    lines.add(0, '--verbose lists the rules that are not applicable, with the reasons.', 'dim');
  }
  lines.add(0, `${summaryOf(results)} (${(durationMs / 1000).toFixed(1)} s)`, colours[worstOf(results)]);
}
