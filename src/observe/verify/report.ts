// The result of a verification as plain data: the output of `--json` and the input of the other reports.

import type { DefinitionChange } from '../../mcp/definition-change.ts';
import type { CallOutcome } from '../replay/diff-sessions.ts';
import type { VerifyRule } from './rules.ts';

/**
 * `failing`: the recorded request succeeded, and it fails now. `fixed`: it failed, and succeeds now. `skipped`: it was not sent, or its answer
 * cannot be compared.
 */
export type VerifyStatus = 'same' | 'different' | 'failing' | 'fixed' | 'skipped';

export const verifyStatuses: readonly VerifyStatus[] = ['failing', 'different', 'fixed', 'skipped', 'same'];

/** Why a request was skipped. `permission` and `value`: an option would run it. */
export type SkipCause = 'permission' | 'value' | 'recording' | 'server';

export interface VerifyDifference {
  /** A path such as `result.content[0].text`. */
  readonly path: string;
  /** The recorded value, shortened; absent if there was none. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** The elements are the same in another order. */
  readonly isOrder?: true;
}

export interface VerifySide {
  readonly outcome: CallOutcome | 'timeout';
  readonly durationMs?: number;
}

export interface VerifyResult {
  /** Number of the request in the recording, from 1. 0 is the handshake. */
  readonly number: number;
  readonly method: string;
  readonly target?: string;
  /** The recorded parameters, shortened. Absent if the status is `same`. */
  readonly params?: string;
  readonly status: VerifyStatus;
  /** Why it was skipped, fails, or could not be compared. */
  readonly reason?: string;
  readonly cause?: SkipCause;
  /** The answer took longer than the recorded one, by the factor and the time of the options. */
  readonly isSlower?: true;
  readonly before?: VerifySide;
  readonly after?: VerifySide;
  /** At most 100. */
  readonly differences: readonly VerifyDifference[];
  /** Changed definitions, if the request was for a list, or the handshake. */
  readonly changes?: readonly DefinitionChange[];
  /** The new answer is part of the recording now. */
  readonly isUpdated?: true;
  /** The end of what the server wrote to stderr, if it exited. */
  readonly stderr?: string;
}

export interface VerifyReport {
  readonly file: string;
  /** The command or address of the server, with secrets masked. */
  readonly server: string;
  readonly revision: string;
  /** In the order of the recording. Only the first 10,000 with the status `same` are listed; `counts` has all. */
  readonly results: readonly VerifyResult[];
  readonly counts: Readonly<Record<VerifyStatus | 'slower', number>>;
  /** Rules that this run learned. */
  readonly learned: readonly VerifyRule[];
  /** Number of answers that `update` wrote into the recording. */
  readonly updated: number;
  /** How often the server was started again because it had exited. */
  readonly restarts: number;
  readonly warnings: readonly string[];
  readonly durationMs: number;
}

/** Whether the verification fails. `strict`: also if a request is fixed or slower, or was skipped and an option would run it. */
export function isVerifyFailure({ status, isSlower, cause, isUpdated }: VerifyResult, strict = false): boolean {
  if (isUpdated) return false;
  if (status === 'failing' || status === 'different') return true;
  return strict && (status === 'fixed' || isSlower === true || cause === 'permission' || cause === 'value');
}

/** Whether requests were left out because the server no longer answered. */
export function isVerifyIncomplete({ results }: VerifyReport): boolean {
  return results.some(({ cause }) => cause === 'server');
}
