// A rule for servers of MCP.

import { eraOf, type Revision } from '../../mcp/revisions.ts';
import type { RuleText, Runs } from '../rule.ts';
import type { ServerRuleRun } from './server-rule-run.ts';

export interface ServerRule extends RuleText {
  /** The first and the last revision that it applies to. Default: all. */
  readonly since?: Revision;
  readonly until?: Revision;
  readonly runs: Runs;
  /**
   * `shared`: the open conversation of the revision, one rule after the other. `own`: processes of its own, beside other rules. `seen`: runs
   * last and reads what was observed (rules/observation.ts); it sends nothing.
   */
  readonly uses: 'shared' | 'own' | 'seen';
  /** Sends megabytes or many requests. Tests try it only on servers that are meant to violate it. */
  readonly isHeavy?: true;
  /** Throws a violation, or that it is not applicable (verdict.ts). Must not depend on how fast the server is. */
  readonly check: (ruleRun: ServerRuleRun) => Promise<void> | void;
}

export function appliesTo({ since, until }: Pick<ServerRule, 'since' | 'until'>, revision: Revision): boolean {
  return (since === undefined || revision >= since) && (until === undefined || revision <= until);
}

/** In which of the revisions of a server the rule runs. Newest first, like `supported`. */
export function revisionsOf(rule: ServerRule, supported: readonly Revision[]): Revision[] {
  const fitting = supported.filter((revision) => appliesTo(rule, revision));
  if (rule.runs === 'each revision') return fitting;
  if (rule.runs === 'once') return fitting.slice(0, 1);
  return fitting.filter((revision, at) => at === 0 || eraOf(fitting[at - 1]!) !== eraOf(revision));
}
