import type { ServerRule } from '../../server-rule.ts';
import { opens } from './opens.ts';

export const lifecycleRules: readonly ServerRule[] = [opens];
