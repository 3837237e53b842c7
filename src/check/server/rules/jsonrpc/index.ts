import type { ServerRule } from '../../server-rule.ts';

export const jsonrpcRules: readonly ServerRule[] = [];
