// All rules for clients of MCP, in the order of the report.

import type { ClientRule } from '../client-rule.ts';
import { opens } from './opens.ts';
import { shutdownRules } from './shutdown.ts';

export const clientRules: readonly ClientRule[] = [opens, ...shutdownRules];
