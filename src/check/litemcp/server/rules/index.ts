// All rules for LiteMCP servers, in the order of the report.

import type { LiteServerRule } from '../lite-rule-run.ts';
import { callRules } from './calls.ts';
import { lifecycleRules } from './lifecycle.ts';
import { messageRules } from './messages.ts';
import { wireRules } from './wire.ts';

export const liteServerRules: readonly LiteServerRule[] = [
  ...messageRules,
  ...wireRules,
  ...callRules,
  ...lifecycleRules,
];
