// All rules for servers of LiteMCP, in the order of the report.

import type { LiteServerRule } from '../lite-server-rule.ts';
import { callsRules } from './calls/index.ts';
import { lifecycleRules } from './lifecycle/index.ts';
import { messagesRules } from './messages/index.ts';
import { wireRules } from './wire/index.ts';

export const liteServerRules: readonly LiteServerRule[] = [
  ...messagesRules,
  ...wireRules,
  ...callsRules,
  ...lifecycleRules,
];
