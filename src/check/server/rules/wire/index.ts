import type { ServerRule } from '../../server-rule.ts';
import { onlyMessages } from './only-messages.ts';

export const wireRules: readonly ServerRule[] = [onlyMessages];
