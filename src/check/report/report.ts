// The result of a check as plain data: the output of `--json` and the input of the other reports.

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
  /** The name that the program sends. */
  readonly name?: string;
  readonly version?: string;
  /** Supported revisions, newest first. */
  readonly revisions: readonly Revision[];
  /** The official SDK or FastMCP, if it was recognised. */
  readonly sdk?: { readonly name: string; readonly version?: string };
  /** The applied baseline. `stale`: entries that were not found. */
  readonly baseline?: { readonly file: string; readonly stale: readonly StaleEntry[] };
  /** Outcomes in the order of the table of rules, newest revision first. */
  readonly outcomes: readonly Outcome[];
  readonly counts: Readonly<Record<Status, number>>;
  readonly durationMs: number;
}

/** A baseline entry that was not found. Without revisions, the rule does not exist, or the protocol has one version. */
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
  /** The observed behaviour for a violation, and the cause for a rule that is not applicable. */
  readonly reason?: string;
  /** The sentence of the specification and its address. Set only for violations. */
  readonly says?: string;
  readonly link?: string;
  /** Why a violated MUST is a warning. */
  readonly note?: string;
  /**
   * Set if the SDK causes the violation, which the user cannot fix. A violated MUST is then a warning. `issue`: the
   * report to the authors of the SDK.
   */
  readonly sdk?: { readonly name: string; readonly note: string; readonly issue?: string };
  /** The time limit ended the rule. Its status is `not applicable`, and the check is incomplete. */
  readonly untested?: true;
  /** The baseline accepts the violation, so it does not fail the check. */
  readonly accepted?: true;
  /** The fix, for the language of the command if it is known. Set only for violations. */
  readonly fix?: string;
  /** The end of the traffic. Set only for violations, unless all evidence was requested. */
  readonly evidence?: readonly EvidenceLine[];
  readonly durationMs: number;
}

export interface EvidenceLine {
  readonly kind: EntryKind;
  /** Secrets are masked, control characters are escaped, long text is cut. */
  readonly text: string;
  /** The length before the cut. */
  readonly bytes: number;
}

const MOST_NAME_CHARS = 1_000;

/** `info`: the name and version that a program sent. `hide` masks secrets. */
export function introduction(info: unknown, hide: (text: string) => string): Pick<CheckReport, 'name' | 'version'> {
  const { name, version } = isObject(info) ? info : {};
  return {
    ...(typeof name === 'string' && { name: hide(name.slice(0, MOST_NAME_CHARS)) }),
    ...(typeof version === 'string' && { version: hide(version.slice(0, MOST_NAME_CHARS)) }),
  };
}

export function isFailure({ status, accepted }: Outcome, strict: boolean): boolean {
  return !accepted && (status === 'failed' || (strict && status === 'warning'));
}

export function isIncomplete({ outcomes }: CheckReport): boolean {
  return outcomes.some(({ untested }) => untested);
}

/** The ids of failing rules, for --skip. Empty if no other rule was tested: the rule that a program opens cannot be skipped. */
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
