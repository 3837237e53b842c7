import type { ServerRule } from '../../server-rule.ts';

export const methodsRules: readonly ServerRule[] = [];
