// The report for a terminal: problems, worst first, and a summary. `verbose` adds all rules by family. Text of the program is escaped.

import { type Colour, type Paint, painter } from '../../base/terminal/colours.ts';
import { counted } from '../../base/terminal/counted.ts';
import { cutToWidth, wrapToWidth } from '../../base/terminal/text-width.ts';
import { visible, visibleLine } from '../../base/terminal/visible.ts';
import { endOf } from './evidence.ts';
import { acceptedFindings, bySdk, type Finding, type Problem, problemsOf } from './problems.ts';
import { relevantFrames } from './relevant-frames.ts';
import { type CheckReport, type EvidenceLine, rulesToSkip, type Status } from './report.ts';
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
  /** Lists all rules with their outcomes, and shows frames in full. */
  verbose?: boolean;
  /** If true, warnings are failures. */
  strict?: boolean;
}

const marks: Readonly<Record<Status, string>> = {
  passed: '✓',
  failed: '✗',
  warning: '!',
  advice: 'i',
  'not applicable': '–',
};
/** Limit for the length of a reason in a list. */
const BRIEF_CHARS = 160;
const colours = { passed: 'green', failed: 'red', warning: 'yellow', advice: 'cyan', 'not applicable': 'dim' } as const;

export function textOf(report: CheckReport, options: TextOptions = {}): string {
  const { verbose = false } = options;
  const lines = new Lines(options);
  const results = ruleResults(report);
  head(report, lines);
  for (const problem of problemsOf(report)) problemLines(problem, lines, verbose);
  ofSdk(report, lines);
  if (verbose) {
    for (const [family, ofFamily] of byFamily(results)) familyLines(family, ofFamily, lines);
    evidenceOfOthers(results, lines);
  }
  foot(report, results, lines, options);
  return lines.text();
}

/** Reason, specification, frames and fix of one rule, as the message of an error. */
export function violationText(rule: RuleResult): string {
  const lines = new Lines({});
  for (const group of rule.groups.filter(({ first }) => isViolated(first))) {
    findingLines({ ...group, rule }, lines, false);
  }
  return lines.text().trim();
}

function head(report: CheckReport, lines: Lines): void {
  const { role, protocol, command, name, version, revisions, sdk } = report;
  const introduced = name === undefined ? '' : `: ${visibleLine([name, version ?? ''].join(' ').trim())}`;
  const spoken = revisions.length > 0 ? `; revisions ${revisions.join(', ')}` : '';
  const made = sdk ? `; ${sdk.name}${sdk.version ? ` ${visibleLine(sdk.version)}` : ''}` : '';
  lines.add(0, visibleLine(command), 'bold');
  lines.add(0, `${protocol === 'mcp' ? 'MCP' : 'LiteMCP'} ${role}${introduced}${spoken}${made}`);
}

function problemLines({ head, elsewhere, also }: Problem, lines: Lines, verbose: boolean): void {
  findingLines(head, lines, verbose, elsewhere);
  if (also.length > 0) lines.labelled(2, 'also violates:', '', 'cyan');
  for (const finding of also) {
    briefly(finding, lines, 4);
    if (verbose) frameLines(finding, lines, verbose);
  }
}

/** `elsewhere`: the same rule in other revisions. */
function findingLines(finding: Finding, lines: Lines, verbose: boolean, elsewhere: readonly Finding[] = []): void {
  const { first, rule } = finding;
  const label = `${rule.id}  ${rule.title} (${first.level}${where(finding)})`;
  lines.blank();
  lines.labelled(0, marks[first.status], label, colours[first.status], 'bold');
  lines.add(2, visible(first.reason ?? ''));
  for (const other of elsewhere) {
    lines.add(2, `In ${other.revisions.join(', ')}: ${visible(other.first.reason ?? '')}`);
  }
  if (first.note !== undefined) lines.add(2, first.note);
  if (first.says !== undefined) lines.labelled(2, 'rule:', first.says, 'cyan');
  if (first.link !== undefined) lines.add(2, first.link, 'dim');
  frameLines(finding, lines, verbose);
  if (first.fix !== undefined) lines.labelled(2, 'fix:', first.fix, 'cyan');
}

/** Advice does not depend on a revision. */
function where({ first, revisions }: Finding): string {
  return revisions.length > 0 && first.level !== 'ADVICE' ? `, in ${revisions.join(', ')}` : '';
}

function briefly({ rule, first }: Finding, lines: Lines, indent: number): void {
  const reason = cutToWidth(visibleLine(first.reason ?? ''), BRIEF_CHARS);
  lines.labelled(indent, marks[first.status], `${rule.id}  ${reason}`, colours[first.status]);
}

function ofSdk(report: CheckReport, lines: Lines): void {
  for (const [{ name, note, issue }, findings] of bySdk(report)) {
    lines.blank();
    lines.add(0, `From the SDK, not from your code: ${visibleLine(name)}`, 'bold');
    lines.add(2, issue ? `${note} ${issue}` : note);
    for (const finding of findings) briefly(finding, lines, 2);
  }
}

function familyLines(family: string, results: readonly RuleResult[], lines: Lines): void {
  lines.blank();
  lines.add(0, family, 'bold');
  for (const result of results) {
    const { status, id, title } = result;
    lines.labelled(2, marks[status], `${id}  ${title}${differences(result)}`, colours[status]);
  }
}

/** The revisions of each status, if they differ. */
function differences({ status, groups }: RuleResult): string {
  if (status === 'not applicable') return groups.map(({ first }) => ` (${visibleLine(first.reason ?? '')})`).join('');
  if (new Set(groups.map(({ first }) => first.status)).size < 2) return '';
  return ` (${groups.map(({ first, revisions }) => `${first.status} in ${revisions.join(', ')}`).join('; ')})`;
}

/** Prints the recorded traffic of rules that are not violated, for a report with all evidence. */
function evidenceOfOthers(results: readonly RuleResult[], lines: Lines): void {
  for (const { id, groups } of results) {
    for (const group of groups.filter(({ first }) => !isViolated(first))) {
      const { first, revisions } = group;
      if (!first.evidence?.length) continue;
      const where = revisions.length > 0 ? ` in ${revisions.join(', ')}` : '';
      lines.blank();
      lines.labelled(0, marks[first.status], `${id}  ${first.status}${where}`, colours[first.status], 'bold');
      frameLines(group, lines, true);
    }
  }
}

function foot(
  report: CheckReport,
  results: readonly RuleResult[],
  lines: Lines,
  { verbose = false, strict = false }: TextOptions,
): void {
  lines.blank();
  for (const [reason, rules] of untested(results)) {
    lines.add(0, `Not tested: ${counted(rules.length, 'rule')}, because ${visibleLine(reason)}`);
  }
  baselineLines(report, lines);
  const failing = rulesToSkip(report, strict);
  if (failing.length > 0) {
    lines.add(0, 'To skip these rules, or to accept the findings and fail only for new ones:', 'dim');
    lines.verbatim(2, `--skip ${failing.join(',')}`);
    lines.verbatim(2, '--baseline check-baseline.json --update-baseline');
  }
  if (!verbose) lines.add(0, '--verbose lists all rules, and why rules are not applicable.', 'dim');
  lines.add(0, `${summaryOf(results)} (${(report.durationMs / 1000).toFixed(1)} s)`, colours[worstOf(results)]);
}

function baselineLines(report: CheckReport, lines: Lines): void {
  const rules = [...new Set(acceptedFindings(report).map(({ rule }) => rule.id))];
  if (rules.length > 0) lines.add(0, `Accepted by the baseline: ${rules.join(', ')}`);
  const stale = report.baseline?.stale ?? [];
  if (stale.length === 0) return;
  const names = stale.map(({ rule, revisions }) => (revisions ? `${rule} (${revisions.join(', ')})` : rule));
  lines.add(0, `Stale entries of the baseline (--update-baseline removes them): ${visibleLine(names.join(', '))}`);
}

const labels: Readonly<Record<EvidenceLine['kind'], string>> = {
  sent: '→',
  received: '←',
  stderr: 'stderr',
  event: '·',
};
/** Limits per violation, unless verbose. The request is often at the start, the fault at the end. */
const FIRST_FRAMES = 3;
const LAST_FRAMES = 5;
const SHOWN_CHARS = 300;
/** Limit of the shown stderr: long enough for the trace of a crash. */
const SHOWN_STDERR_CHARS = 1_500;

/** Frames of the newest revision; if verbose, of all revisions and complete. */
function frameLines({ outcomes }: OutcomeGroup, lines: Lines, verbose: boolean): void {
  if (!verbose) return fewFrames(relevantFrames(outcomes[0]!.evidence ?? []), lines);
  for (const { revision, evidence = [] } of outcomes) {
    if (revision && evidence.length > 0) lines.add(4, revision, 'bold');
    for (const line of evidence) frameLine(line, lines, Number.POSITIVE_INFINITY);
  }
}

function fewFrames(frames: readonly EvidenceLine[], lines: Lines): void {
  const left = frames.length - FIRST_FRAMES - LAST_FRAMES;
  const isCut = left > 1;
  for (const line of isCut ? frames.slice(0, FIRST_FRAMES) : frames) frameLine(line, lines, shownChars(line));
  if (!isCut) return;
  lines.add(4, `… ${counted(left, 'line')}`, 'dim');
  for (const line of frames.slice(-LAST_FRAMES)) frameLine(line, lines, shownChars(line));
}

function shownChars({ kind }: EvidenceLine): number {
  return kind === 'stderr' ? SHOWN_STDERR_CHARS : SHOWN_CHARS;
}

function frameLine({ kind, text, bytes }: EvidenceLine, lines: Lines, mostChars: number): void {
  const part = kind === 'stderr' ? endOf(text.trimEnd(), mostChars) : cutToWidth(text, mostChars);
  const shown = text.length > mostChars ? `${part} (${counted(bytes, 'byte')})` : text;
  lines.labelled(4, labels[kind], visible(shown.trimEnd()), 'dim');
}

/** Links are not wrapped: a part of a link opens another page. */
function isLink(word: string): boolean {
  return /^(?:https?:\/\/|docs\/)/.test(word);
}

/** Lines for a terminal: indented, wrapped, and aligned behind labels. */
class Lines {
  readonly paint: Paint;
  readonly #width: number;
  readonly #lines: string[] = [];

  constructor({ paint = painter(false), width = Number.POSITIVE_INFINITY }: TextOptions) {
    this.paint = paint;
    this.#width = width;
  }

  add(indent: number, text: string, colour?: Colour): void {
    for (const line of wrapToWidth(text, this.#width - indent, isLink)) this.#push(indent, '', line, colour);
  }

  labelled(indent: number, label: string, text: string, colour: Colour, textColour?: Colour): void {
    const from = indent + label.length + 1;
    for (const [at, line] of wrapToWidth(text, this.#width - from, isLink).entries()) {
      if (at === 0) this.#push(indent, `${this.paint(colour, label)} `, line, textColour);
      else this.#push(from, '', line, textColour);
    }
  }

  /** Adds a line without wrapping, so that it can be copied. */
  verbatim(indent: number, text: string): void {
    this.#push(indent, '', text, undefined);
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
