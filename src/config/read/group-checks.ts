// Checks for values of one object that contradict each other.

import { defaultRestart, MOST_LABELS, type Place, type RestartLimits, type SharePolicy } from '../server-config.ts';
import type { Fields } from './fields.ts';
import type { OAuthDraft } from './keys.ts';

export function checkRestart(given: Partial<RestartLimits>, fields: Fields): void {
  const { backoffMs, maxBackoffMs } = { ...defaultRestart, ...given };
  if (maxBackoffMs >= backoffMs) return;
  const at = fields.valueAt(fields.has('maxBackoffMs') ? 'maxBackoffMs' : 'backoffMs');
  const message = `"maxBackoffMs" (${maxBackoffMs}) is less than "backoffMs" (${backoffMs}); "maxBackoffMs" is used`;
  fields.findings.warn(at, message);
}

export function checkShare({ by }: Partial<SharePolicy>, fields: Fields): void {
  if (by !== 'call' || !fields.has('idleMs')) return;
  const suggestion = 'Set "by" to "principal" or "client", or remove it.';
  fields.findings.warn(fields.keyAt('idleMs'), `"idleMs" has no effect with "by": "${by}"`, suggestion);
}

export function checkGrant({ grant, clientId, clientSecret }: OAuthDraft, fields: Fields): void {
  if (grant !== 'client_credentials' || (clientId && clientSecret)) return;
  const suggestion = 'Add "clientId" and "clientSecret".';
  fields.findings.error(fields.valueAt('grant'), 'This grant needs a client with a secret', suggestion);
}

export function checkLabels({ labels = [] }: Partial<Place>, fields: Fields): void {
  if (labels.length <= MOST_LABELS) return;
  fields.findings.error(fields.keyAt('labels'), `"labels" has ${labels.length} names, and may have ${MOST_LABELS}`);
}
