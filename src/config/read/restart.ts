// Reads `restart`: an object, or only the policy.

import type { Findings } from '../problem.ts';
import type { RestartLimits } from '../server-config.ts';
import { defaultRestart } from '../server-config.ts';
import type { Fields } from './fields.ts';
import { restartKeys } from './known-keys.ts';

export const restartPolicies = ['always', 'on-failure', 'never'] as const satisfies RestartLimits['policy'][];

export function readRestart(fields: Fields, findings: Findings): RestartLimits {
  if (fields.value('restart')?.type === 'string') {
    return { ...defaultRestart, policy: fields.choice('restart', restartPolicies) ?? defaultRestart.policy };
  }
  const restart = fields.object('restart', 'Write "restart": "never", or "restart": {"maxRestarts": 10}.');
  if (!restart) return { ...defaultRestart };
  restart.warnUnknown(restartKeys);
  const limits: RestartLimits = {
    policy: restart.choice('policy', restartPolicies) ?? defaultRestart.policy,
    maxRestarts: restart.count('maxRestarts', 0) ?? defaultRestart.maxRestarts,
    periodMs: restart.count('periodMs', 1) ?? defaultRestart.periodMs,
    backoffMs: restart.count('backoffMs', 0) ?? defaultRestart.backoffMs,
    maxBackoffMs: restart.count('maxBackoffMs', 0) ?? defaultRestart.maxBackoffMs,
    resetAfterMs: restart.count('resetAfterMs', 0) ?? defaultRestart.resetAfterMs,
  };
  if (limits.maxBackoffMs < limits.backoffMs) {
    const at = restart.has('maxBackoffMs') ? restart.valueAt('maxBackoffMs') : restart.valueAt('backoffMs');
    findings.warn(
      at,
      `"maxBackoffMs" (${limits.maxBackoffMs}) is less than "backoffMs" (${limits.backoffMs}); "maxBackoffMs" is used`,
    );
  }
  return limits;
}
