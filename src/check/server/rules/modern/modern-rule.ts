// Shared parts of the rules for revision 2026-07-28.

import type { Source } from '../../../rule.ts';
import type { ServerRule } from '../../server-rule.ts';

export const INVALID_PARAMS = -32602;

export function modernRule(rule: Omit<ServerRule, 'since' | 'runs'>): ServerRule {
  return { ...rule, since: '2026-07-28', runs: 'once' };
}

export function page(name: string): Source {
  return { of: 'mcp', page: name };
}
