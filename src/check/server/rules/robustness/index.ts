import type { ServerRule } from '../../server-rule.ts';

export const robustnessRules: readonly ServerRule[] = [];
