// A baseline: the accepted violations of a server. The file is JSON for review, with one entry per rule, sorted, so that equal results give equal
// files. A violation is identified by its rule and revision; the reason is for the reader.

import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { CheckReport, Outcome } from './report.ts';

export interface Baseline {
  readonly findings: readonly BaselineEntry[];
}

export interface BaselineEntry {
  readonly rule: string;
  /** The revisions, newest first. Absent where the protocol has one version. */
  readonly revisions?: readonly string[];
  readonly reason?: string;
}

const FORMAT = 'check baseline';
const VERSION = 1;

export function parseBaseline(text: string, file: string): Baseline {
  const invalid = (what: string, cause?: unknown) =>
    new UsageError('INVALID_OPTION', `"${file}" is not a baseline: ${what}`, {
      hint: `Write it with --baseline ${file} --update-baseline`,
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('it is not JSON', error);
  }
  if (!isObject(value) || value.standpipe !== FORMAT) throw invalid(`"standpipe" is not "${FORMAT}"`);
  if (value.version !== VERSION) throw invalid(`its version is not ${VERSION}`);
  if (!Array.isArray(value.findings) || !value.findings.every(isEntry)) {
    throw invalid('"findings" is not a list of objects with "rule" and "revisions"');
  }
  return { findings: value.findings };
}

/** Marks the violations of the baseline as accepted. `file`: its name in the report. `rules`: the ids of all rules of the check. */
export function applyBaseline(
  report: CheckReport,
  baseline: Baseline,
  { file, rules }: { file: string; rules: readonly string[] },
): CheckReport {
  const known = new Set(baseline.findings.flatMap(keysOf));
  const outcomes = report.outcomes.map((outcome): Outcome => {
    return isFinding(outcome) && known.has(keyOf(outcome)) ? { ...outcome, accepted: true } : outcome;
  });
  const passed = new Set(report.outcomes.filter(({ status }) => status === 'passed').map(keyOf));
  const stale = baseline.findings.flatMap(({ rule, revisions }) => {
    if (!rules.includes(rule)) return [{ rule }];
    if (!revisions) return passed.has(rule) ? [{ rule }] : [];
    const gone = revisions.filter((revision) => passed.has(keyOf({ rule, revision })));
    return gone.length > 0 ? [{ rule, revisions: gone }] : [];
  });
  return { ...report, baseline: { file, stale }, outcomes };
}

/** The file that accepts all findings. Entries of `before` that were not tested now are kept. */
export function baselineOf(
  { outcomes }: CheckReport,
  rules: readonly string[],
  before: Baseline = { findings: [] },
): string {
  const tested = new Set(outcomes.filter(({ status }) => status !== 'not applicable').map(keyOf));
  const entries = new Map<string, { revisions: Set<string>; reason?: string }>();
  const add = (rule: string, revision: string | undefined, reason: string | undefined) => {
    const entry = entries.get(rule) ?? { revisions: new Set(), ...(reason !== undefined && { reason }) };
    if (revision !== undefined) entry.revisions.add(revision);
    entries.set(rule, entry);
  };
  for (const outcome of outcomes.filter(isFinding)) add(outcome.rule, outcome.revision, outcome.reason);
  for (const { rule, revisions = [undefined], reason } of before.findings) {
    if (!rules.includes(rule)) continue;
    for (const revision of revisions) if (!tested.has(keyOf({ rule, revision }))) add(rule, revision, reason);
  }
  const findings = [...entries.keys()].sort().map((rule) => {
    const { revisions, reason } = entries.get(rule)!;
    return { rule, ...(revisions.size > 0 && { revisions: [...revisions].sort().reverse() }), reason };
  });
  return `${JSON.stringify({ standpipe: FORMAT, version: VERSION, findings }, undefined, 2)}\n`;
}

/** Advice never fails a check, so it need not be accepted. */
function isFinding({ status }: Outcome): boolean {
  return status === 'failed' || status === 'warning';
}

function keyOf({ rule, revision }: { rule: string; revision?: string | undefined }): string {
  return revision === undefined ? rule : `${rule} ${revision}`;
}

function keysOf({ rule, revisions }: BaselineEntry): string[] {
  return revisions ? revisions.map((revision) => keyOf({ rule, revision })) : [rule];
}

function isEntry(value: unknown): value is BaselineEntry {
  if (!isObject(value) || typeof value.rule !== 'string') return false;
  const { revisions } = value;
  return (
    revisions === undefined ||
    (Array.isArray(revisions) && revisions.length > 0 && revisions.every((each) => typeof each === 'string'))
  );
}
