// The report as JUnit XML, which CI systems read: a suite for each family, a test case for each rule and revision.

import { xmlAttribute as attribute, xmlText as text } from '../../base/markup.ts';
import { familyOf } from '../rule.ts';
import { type CheckReport, type EvidenceLine, isFailure, type Outcome } from './report.ts';
import { isViolated } from './rule-results.ts';

export interface JunitOptions {
  /** If true, warnings are failures. Otherwise a warning is the output of a passed test case, like advice. */
  strict?: boolean;
}

export function junitOf(report: CheckReport, { strict = false }: JunitOptions = {}): string {
  const { role, protocol, command, name, version, revisions, outcomes, durationMs } = report;
  const families = [...new Set(outcomes.map(({ rule }) => familyOf(rule)))];
  const properties = { role, protocol, command, name, version, revisions: revisions.join(' ') };
  const suites = families.map((family) => {
    const ofFamily = outcomes.filter(({ rule }) => familyOf(rule) === family);
    const ms = ofFamily.reduce((sum, outcome) => sum + outcome.durationMs, 0);
    return [
      `  <testsuite name="${family}"${counts(ofFamily, strict)} time="${seconds(ms)}">`,
      '    <properties>',
      ...Object.entries(properties)
        .filter(([, value]) => value)
        .map(([key, value]) => `      <property name="${key}" value="${attribute(value!)}"/>`),
      '    </properties>',
      ...ofFamily.map((outcome) => testCase(outcome, strict)),
      '  </testsuite>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="standpipe check"${counts(outcomes, strict)} time="${seconds(durationMs)}">`,
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

function counts(outcomes: readonly Outcome[], strict: boolean): string {
  const failures = outcomes.filter((outcome) => isFailure(outcome, strict)).length;
  const errors = outcomes.filter(({ untested }) => untested).length;
  const skipped = outcomes.filter(({ status }) => status === 'not applicable').length - errors;
  return ` tests="${outcomes.length}" failures="${failures}" skipped="${skipped}" errors="${errors}"`;
}

function testCase(outcome: Outcome, strict: boolean): string {
  const { rule, revision, status, reason = '', durationMs } = outcome;
  const name = attribute(revision ? `${rule} (${revision})` : rule);
  const open = `    <testcase classname="standpipe.check.${attribute(familyOf(rule))}" name="${name}" time="${seconds(durationMs)}"`;
  const inside = () => {
    if (isFailure(outcome, strict)) {
      return `<failure type="${outcome.level}" message="${attribute(reason)}">${text(details(outcome))}</failure>`;
    }
    if (isViolated(outcome)) {
      const why = outcome.accepted ? 'accepted by the baseline' : status;
      return `<system-out>${text(`${why}: ${details(outcome)}`)}</system-out>`;
    }
    if (outcome.untested) return `<error type="untested" message="${attribute(reason)}"/>`;
    return status === 'not applicable' ? `<skipped message="${attribute(reason)}"/>` : '';
  };
  const content = inside();
  return content === '' ? `${open}/>` : `${open}>\n      ${content}\n    </testcase>`;
}

function details({ title, reason, level, says, link, fix, evidence = [] }: Outcome): string {
  return [
    `${title}: ${reason}`,
    `Rule (${level}): ${says}`,
    link,
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
    ...(evidence.length > 0 ? ['Sent and received:', ...evidence.map(frame)] : []),
  ].join('\n');
}

function frame({ kind, text }: EvidenceLine): string {
  return `  ${kind}: ${text}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
