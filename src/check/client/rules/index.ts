// All rules for MCP clients, in the order of the report.

import type { ClientRule } from '../client-rule-run.ts';
import { callRules } from './calls.ts';
import { messageRules } from './messages.ts';
import { openingRules } from './opening.ts';
import { shutdownRules } from './shutdown.ts';
import { taskRules } from './tasks.ts';

export const clientRules: readonly ClientRule[] = [
  ...openingRules,
  ...messageRules,
  ...callRules,
  ...taskRules,
  ...shutdownRules,
];
