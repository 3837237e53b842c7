// All rules for clients of LiteMCP, in the order of the report.

import type { LiteClientRule } from '../lite-client-rule.ts';
import { answerRules } from './answers.ts';
import { asksFirst, opens } from './opens.ts';
import { requestRules } from './requests.ts';
import { shutdownRules } from './shutdown.ts';
import { wireRules } from './wire.ts';

export const liteClientRules: readonly LiteClientRule[] = [
  opens,
  asksFirst,
  ...wireRules,
  ...requestRules,
  ...answerRules,
  ...shutdownRules,
];
