// All rules for servers of MCP, in the order of the report.

import type { ServerRule } from '../server-rule.ts';
import { jsonrpcRules } from './jsonrpc/index.ts';
import { lifecycleRules } from './lifecycle/index.ts';
import { methodsRules } from './methods/index.ts';
import { modernRules } from './modern/index.ts';
import { robustnessRules } from './robustness/index.ts';
import { wireRules } from './wire/index.ts';

export const serverRules: readonly ServerRule[] = [
  ...lifecycleRules,
  ...wireRules,
  ...jsonrpcRules,
  ...methodsRules,
  ...modernRules,
  ...robustnessRules,
];
