import type { ServerRule } from '../../server-rule.ts';

export const modernRules: readonly ServerRule[] = [];
