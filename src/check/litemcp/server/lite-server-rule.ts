// A rule for servers of LiteMCP.

import type { RuleText } from '../../rule.ts';
import type { LiteTrial } from './lite-trial.ts';

export interface LiteServerRule extends RuleText {
  /** As for rules for MCP (server-rule.ts). */
  readonly uses: 'shared' | 'own' | 'seen';
  readonly check: (trial: LiteTrial) => Promise<void> | void;
}
