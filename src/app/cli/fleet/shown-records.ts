// Shows the servers of a fleet as the text of a config. Literal secrets are hidden.

import { REDACTED } from '../../../base/secrets/mask-values.ts';
import { readForm } from '../../../config/config-file.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import type { ServerRecord } from '../../../host/fleet/cluster-network.ts';
import { literalSecrets } from '../../../host/fleet/place/literal-secrets.ts';

export interface ShownRecord {
  /** The entry with its `place`, as in `mcpServers`. */
  entry: Record<string, unknown>;
  hasSecrets: boolean;
}

export function shownRecord({ name, entry, place }: ServerRecord): ShownRecord {
  const text = JSON.stringify({ mcpServers: { [name]: entry } });
  const form = readForm(parseDocument(text, 'fleet'), { file: 'fleet', origin: 'named', folder: '' }, 'linux');
  const secrets = form.drafts.flatMap(({ draft }) => literalSecrets(draft)).map((secret) => secret.text);
  const masked = (value: unknown): unknown => {
    if (typeof value === 'string') return secrets.includes(value) ? REDACTED : value;
    if (Array.isArray(value)) return value.map(masked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, masked(each)]));
  };
  return { entry: { ...(masked(entry) as object), place }, hasSecrets: secrets.length > 0 };
}

/** Text of an entry, for a diff. */
export function recordText(record: ServerRecord | undefined): string {
  if (!record) return '';
  return JSON.stringify({ [record.name]: shownRecord(record).entry }, null, 2);
}
