// The result of a check as plain data: what `--json` prints, and what the other reports are made of.

import { isObject } from '../../base/json-object.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { Level } from '../rule.ts';
import type { EntryKind } from '../transcript.ts';

/** A violated MUST is `failed`, a violated SHOULD a `warning`, a violated ADVICE `advice`. */
export type Status = 'passed' | 'failed' | 'warning' | 'advice' | 'not applicable';

export interface CheckReport {
  readonly role: 'server' | 'client';
  readonly protocol: 'mcp' | 'litemcp';
  /** The command under test, with secrets masked. */
  readonly command: string;
  /** As it introduced itself. */
  readonly name?: string;
  readonly version?: string;
  /** Those that it supports, newest first. */
  readonly revisions: readonly Revision[];
  /** The official SDK or FastMCP that it is made with, if it was recognised. */
  readonly sdk?: { readonly name: string; readonly version?: string };
  /** The baseline that was applied. `stale`: what it accepts and was not found. */
  readonly baseline?: { readonly file: string; readonly stale: readonly StaleEntry[] };
  /** In the order of the table of rules, newest revision first. */
  readonly outcomes: readonly Outcome[];
  readonly counts: Readonly<Record<Status, number>>;
  readonly durationMs: number;
}

/** Absent revisions: the rule does not exist, or the protocol has one version. */
export interface StaleEntry {
  readonly rule: string;
  readonly revisions?: readonly string[];
}

/** One rule in one revision. */
export interface Outcome {
  readonly rule: string;
  readonly level: Level;
  readonly title: string;
  readonly revision?: Revision;
  readonly status: Status;
  /** Of a violation: what the other end did. Of a rule that is not applicable: why. */
  readonly reason?: string;
  /** The sentence of the specification, and where it stands. Only of violations. */
  readonly says?: string;
  readonly link?: string;
  /** Why a violated MUST is a warning. */
  readonly note?: string;
  /** The SDK causes it: the code of the user cannot mend it. A violated MUST is then a warning. `issue`: the report to its authors. */
  readonly sdk?: { readonly name: string; readonly note: string; readonly issue?: string };
  /** The time was over before the rule was tested to its end. Its status is `not applicable`, and the check is incomplete. */
  readonly untested?: true;
  /** The baseline has it: it does not fail the check. */
  readonly accepted?: true;
  /** How to mend it, for the language of the command where it is known. Only of violations. */
  readonly fix?: string;
  /** The end of what was sent and received. Only of violations, unless all evidence was asked for. */
  readonly evidence?: readonly EvidenceLine[];
  readonly durationMs: number;
}

export interface EvidenceLine {
  readonly kind: EntryKind;
  /** Secrets are masked, control characters are escaped, long text is cut. */
  readonly text: string;
  /** The length before it was cut. */
  readonly bytes: number;
}

const MOST_NAME_CHARS = 1_000;

/** `info`: what a program says about itself. `hide` masks secrets. */
export function introduction(info: unknown, hide: (text: string) => string): Pick<CheckReport, 'name' | 'version'> {
  const { name, version } = isObject(info) ? info : {};
  return {
    ...(typeof name === 'string' && { name: hide(name.slice(0, MOST_NAME_CHARS)) }),
    ...(typeof version === 'string' && { version: hide(version.slice(0, MOST_NAME_CHARS)) }),
  };
}

/** Whether it fails the check. */
export function isFailure({ status, accepted }: Outcome, strict: boolean): boolean {
  return !accepted && (status === 'failed' || (strict && status === 'warning'));
}

/** Rules were not tested in time. */
export function isIncomplete({ outcomes }: CheckReport): boolean {
  return outcomes.some(({ untested }) => untested);
}

/**
 * The ids of the rules that fail the check, to be left out of the next one. Empty if no other rule was tested: the rule that a program opens is
 * tested in any case, since all others need it.
 */
export function rulesToSkip({ outcomes }: CheckReport, strict: boolean): string[] {
  const failing = new Set(outcomes.filter((outcome) => isFailure(outcome, strict)).map(({ rule }) => rule));
  const isOther = ({ rule, status }: Outcome) => !failing.has(rule) && status !== 'not applicable';
  return outcomes.some(isOther) ? [...failing] : [];
}

export function countStatuses(outcomes: readonly Outcome[]): Record<Status, number> {
  const counts = { passed: 0, failed: 0, warning: 0, advice: 0, 'not applicable': 0 };
  for (const { status } of outcomes) counts[status]++;
  return counts;
}
