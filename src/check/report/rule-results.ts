// The outcomes of a report by rule. Revisions with equal outcomes are one group.

import { counted } from '../../base/terminal/counted.ts';
import { familyOf, type Level } from '../rule.ts';
import type { CheckReport, Outcome, Status } from './report.ts';

export interface RuleResult {
  readonly id: string;
  readonly level: Level;
  readonly title: string;
  /** The worst status of the groups. */
  readonly status: Status;
  /** Groups of outcomes, the worst first. */
  readonly groups: readonly OutcomeGroup[];
}

/** Outcomes with the same status and reason. The revision and the frames may differ. */
export interface OutcomeGroup {
  readonly outcomes: readonly Outcome[];
  /** The outcome of the newest revision. */
  readonly first: Outcome;
  /** The revisions; empty where the protocol has one version. */
  readonly revisions: readonly string[];
}

/** All statuses, the worst first. */
export const statuses: readonly Status[] = ['failed', 'warning', 'advice', 'passed', 'not applicable'];

export function ruleResults({ outcomes }: CheckReport): RuleResult[] {
  return [...groupBy(outcomes, ({ rule }) => rule)].map(([id, ofRule]) => {
    const { level, title } = ofRule[0]!;
    const groups = groupsOf(ofRule);
    return { id, level, title, status: groups[0]!.first.status, groups };
  });
}

/** The results by family, in the order of the report. */
export function byFamily(results: readonly RuleResult[]): Map<string, RuleResult[]> {
  return groupBy(results, ({ id }) => familyOf(id));
}

export function isViolated({ status }: { status: Status }): boolean {
  return status === 'failed' || status === 'warning' || status === 'advice';
}

function groupsOf(outcomes: readonly Outcome[]): OutcomeGroup[] {
  const groups = [
    ...groupBy(outcomes, ({ status, reason, accepted, sdk }) => {
      return JSON.stringify([status, reason, accepted, sdk]);
    }).values(),
  ];
  return groups
    .map((outcomes) => ({
      outcomes,
      first: outcomes[0]!,
      revisions: outcomes.flatMap(({ revision }) => revision ?? []),
    }))
    .sort((a, b) => rankOf(a.first) - rankOf(b.first));
}

/** Accepted violations come after other violations. */
function rankOf({ status, accepted }: Outcome): number {
  return accepted ? statuses.indexOf('passed') - 0.5 : statuses.indexOf(status);
}

/** Rules that another option would test, by the reason that names the option. */
export function untested(results: readonly RuleResult[]): Map<string, RuleResult[]> {
  const reasonOf = ({ status, groups }: RuleResult) => {
    const late = groups.find(({ first }) => first.untested);
    return late?.first.reason ?? (status === 'not applicable' ? groups[0]!.first.reason : undefined);
  };
  const isLate = ({ groups }: RuleResult) => groups.some(({ first }) => first.untested);
  const missing = results.filter(
    (result) => isLate(result) || /--(?:allow-calls|long-call)\b/.test(reasonOf(result) ?? ''),
  );
  return groupBy(missing, (result) => reasonOf(result)!);
}

/** The worst status, without accepted violations. */
export function worstOf(results: readonly RuleResult[]): Status {
  const isWorst = (status: Status) =>
    results.some((result) => result.status === status && !result.groups[0]!.first.accepted);
  return statuses.find(isWorst) ?? 'passed';
}

/** For example `90 rules: 80 passed, 1 failed, 2 warnings, 4 advice, 3 not applicable`. */
export function summaryOf(results: readonly RuleResult[]): string {
  const accepted = results.filter(({ groups }) => groups[0]!.first.accepted);
  const count = (status: Status) =>
    results.filter((result) => result.status === status && !accepted.includes(result)).length;
  const parts = [
    `${count('passed')} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('warning') > 0 ? [counted(count('warning'), 'warning')] : []),
    ...(accepted.length > 0 ? [`${accepted.length} accepted by the baseline`] : []),
    ...(count('advice') > 0 ? [`${count('advice')} advice`] : []),
    ...(count('not applicable') > 0 ? [`${count('not applicable')} not applicable`] : []),
  ];
  return `${counted(results.length, 'rule')}: ${parts.join(', ')}`;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
