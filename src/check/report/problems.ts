// The violations of a report as problems: one per mistake, with the rule that shows it best and other rules that it violates.

import { explains, isSameMistake, isSameReason } from './causes.ts';
import type { CheckReport, Outcome } from './report.ts';
import { groupBy, isViolated, type OutcomeGroup, type RuleResult, ruleResults, statuses } from './rule-results.ts';

/** A violated rule, in the revisions with the same reason. */
export interface Finding extends OutcomeGroup {
  readonly rule: RuleResult;
}

export interface Problem {
  /** The finding with the worst status. */
  readonly head: Finding;
  /** The same rule in revisions with another reason. */
  readonly elsewhere: readonly Finding[];
  /** Other rules, each once, in the order of the table of rules. */
  readonly also: readonly Finding[];
}

/**
 * The problems without violations that the SDK causes or the baseline accepts: the worst first, then in the order of
 * the table of rules.
 */
export function problemsOf(report: CheckReport): Problem[] {
  const findings = findingsOf(report).filter(({ first }) => !first.sdk && !first.accepted);
  const heads = new Map(findings.map((finding) => [finding, headOf(finding, findings)]));
  return findings
    .filter((finding) => heads.get(finding) === finding)
    .map((head) =>
      problemOf(
        head,
        findings.filter((each) => each !== head && heads.get(each) === head),
      ),
    );
}

function problemOf(head: Finding, others: readonly Finding[]): Problem {
  const also = others.filter(({ rule }) => rule !== head.rule);
  return {
    head,
    elsewhere: others.filter(({ rule, first }) => rule === head.rule && !isSameReason(first, head.first)),
    also: also.filter(({ rule }, at) => also.findIndex((each) => each.rule === rule) === at),
  };
}

/** Violations that the SDK causes, grouped by the behaviour of the SDK that causes them. */
export function bySdk(report: CheckReport): [NonNullable<Outcome['sdk']>, Finding[]][] {
  const findings = findingsOf(report).filter(({ first }) => first.sdk && !first.accepted);
  const groups = [...groupBy(findings, ({ first }) => JSON.stringify(first.sdk)).values()];
  return groups.map((group) => [group[0]!.first.sdk!, group]);
}

export function acceptedFindings(report: CheckReport): Finding[] {
  return findingsOf(report).filter(({ first }) => first.accepted);
}

function findingsOf(report: CheckReport): Finding[] {
  const found = ruleResults(report).flatMap((rule) =>
    rule.groups.filter(({ first }) => isViolated(first)).map((group) => ({ ...group, rule })),
  );
  return found.sort((a, b) => rank(a) - rank(b));
}

/** The finding that explains this one, directly or through others. All of them have at least the severity of the finding they explain. */
function headOf(finding: Finding, all: readonly Finding[]): Finding {
  const seen = new Set<Finding>();
  let head = finding;
  while (!seen.has(head)) {
    seen.add(head);
    head = causeOf(head, all) ?? head;
  }
  return head;
}

function causeOf(finding: Finding, all: readonly Finding[]): Finding | undefined {
  const asBad = all.filter((each) => rank(each) <= rank(finding));
  const before = all.slice(0, all.indexOf(finding));
  return (
    asBad.find((each) => explains(each.first, finding.first)) ??
    before.find((each) => isSameMistake(each.first, finding.first))
  );
}

function rank({ first }: Finding): number {
  return statuses.indexOf(first.status);
}
