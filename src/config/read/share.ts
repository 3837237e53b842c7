// Reads `share`: an object, or only who shares a process.

import type { Findings } from '../problem.ts';
import { defaultShare, type SharePolicy, shareModes } from '../server-config.ts';
import type { Fields } from './fields.ts';
import { shareKeys } from './known-keys.ts';

export function readShare(fields: Fields, findings: Findings): SharePolicy {
  if (fields.value('share')?.type === 'string') {
    return { ...defaultShare, by: fields.choice('share', shareModes) ?? defaultShare.by };
  }
  const share = fields.object('share', 'Write "share": "client", or "share": {"by": "client", "maxProcesses": 8}.');
  if (!share) return { ...defaultShare };
  share.warnUnknown(shareKeys);
  const policy: SharePolicy = {
    by: share.choice('by', shareModes) ?? defaultShare.by,
    maxProcesses: share.count('maxProcesses', 1) ?? defaultShare.maxProcesses,
    idleMs: share.count('idleMs', 1) ?? defaultShare.idleMs,
  };
  const [useless] = unusedBy(policy).filter((key) => share.has(key));
  if (useless) {
    const suggestion = 'Set "by" to "principal" or "client", or remove it.';
    findings.warn(share.keyAt(useless), `"${useless}" has no effect with "by": "${policy.by}"`, suggestion);
  }
  return policy;
}

function unusedBy({ by }: SharePolicy): (keyof SharePolicy)[] {
  return by === 'call' ? ['idleMs'] : [];
}
