import type { ServerRule } from '../../server-rule.ts';
import { askedClientRules } from './asked-clients.ts';
import { changeRules } from './changes.ts';
import { envelopeRules } from './envelope.ts';
import { requestRules } from './requests.ts';
import { resultRules } from './results.ts';
import { roundRules } from './rounds.ts';
import { statelessRules } from './stateless.ts';
import { subscriptionRules } from './subscriptions.ts';
import { versionRules } from './versions.ts';

export const modernRules: readonly ServerRule[] = [
  ...envelopeRules,
  ...versionRules,
  ...statelessRules,
  ...resultRules,
  ...requestRules,
  ...askedClientRules,
  ...roundRules,
  ...subscriptionRules,
  ...changeRules,
];
