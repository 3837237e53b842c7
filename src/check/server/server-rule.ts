// A rule for servers of MCP.

import { eraOf, type Revision } from '../../mcp/revisions.ts';
import type { EndOfServer } from '../check-alone.ts';
import { type RuleText, type Runs, rowsOf } from '../rule.ts';
import type { ServerRuleRun } from './server-rule-run.ts';

export interface ServerRule extends RuleText, EndOfServer {
  /** The first and the last revision that it applies to. Default: all. */
  readonly since?: Revision;
  readonly until?: Revision;
  readonly runs: Runs;
  /**
   * `shared`: the open conversation of the revision, one rule at a time. `own`: processes of its own, in parallel to other rules. `seen`: runs
   * last, reads the observed processes (rules/observation.ts) and sends nothing.
   */
  readonly uses: 'shared' | 'own' | 'seen';
  /** Sends megabytes or many requests. Tests run it only on servers that are meant to violate it. */
  readonly isHeavy?: true;
  /** Throws a verdict other than passed (verdict.ts). Must not depend on the speed of the server. */
  readonly check: (ruleRun: ServerRuleRun) => Promise<void> | void;
}

export const serverRows = rowsOf<ServerRule>();

export function appliesTo({ since, until }: Pick<ServerRule, 'since' | 'until'>, revision: Revision): boolean {
  return (since === undefined || revision >= since) && (until === undefined || revision <= until);
}

/** The revisions of a server in which the rule runs. Newest first, like `supported`. */
export function revisionsOf(rule: ServerRule, supported: readonly Revision[]): Revision[] {
  const fitting = supported.filter((revision) => appliesTo(rule, revision));
  if (rule.runs === 'each revision') return fitting;
  if (rule.runs === 'once') return fitting.slice(0, 1);
  return fitting.filter((revision, at) => at === 0 || eraOf(fitting[at - 1]!) !== eraOf(revision));
}
