// All rules for clients of MCP, in the order of the report.

import type { ClientRule } from '../client-rule.ts';
import { callRules } from './calls.ts';
import { handshakeRules } from './handshake.ts';
import { messageRules } from './messages.ts';
import { opens } from './opens.ts';
import { readingRules } from './reading.ts';
import { shutdownRules } from './shutdown.ts';
import { versionRules } from './versions.ts';

export const clientRules: readonly ClientRule[] = [
  opens,
  ...handshakeRules,
  ...versionRules,
  ...messageRules,
  ...readingRules,
  ...callRules,
  ...shutdownRules,
];
