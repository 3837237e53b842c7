// A rule for servers of LiteMCP.

import type { RuleText } from '../../rule.ts';
import type { LiteRuleRun } from './lite-rule-run.ts';

export interface LiteServerRule extends RuleText {
  /** As for rules for MCP (server-rule.ts). */
  readonly uses: 'shared' | 'own' | 'seen';
  readonly check: (ruleRun: LiteRuleRun) => Promise<void> | void;
}
