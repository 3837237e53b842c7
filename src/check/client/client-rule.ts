// A rule for clients of MCP.

import type { Revision } from '../../mcp/revisions.ts';
import type { RuleText } from '../rule.ts';
import type { ClientRuleRun } from './client-rule-run.ts';
import type { Scenario } from './scenario.ts';

export interface ClientRule extends RuleText {
  /** The first and last revision that the rule applies to. Default: all. */
  readonly since?: Revision;
  readonly until?: Revision;
  /** The scenarios whose runs the rule reads. */
  readonly scenarios: readonly Scenario[];
  /** Throws a violation, or that it is not applicable (verdict.ts). Must not depend on how fast the client is. */
  readonly check: (ruleRun: ClientRuleRun) => void;
}
