// Cline: a `url` without `type` is HTTP+SSE. Newer versions have an object `transport` with the keys of the connection.

import { formatOf } from './host-format.ts';
import { membersOf, objectOf, renamed, scalarOf, valueIn } from './nodes.ts';

export const clineFormat = formatOf({
  names: [
    { theirs: 'transportType', ours: 'type', readOnly: true },
    { theirs: 'timeout', ours: 'requestTimeoutMs', factor: 1000 },
    { theirs: 'initializeTimeoutMs', ours: 'startupTimeoutMs' },
  ],
  ignored: ['metadata', 'oauth', 'remoteConfigured'],
  disables: 'disabled',
  types: { stdio: undefined, http: 'streamableHttp', sse: 'sse' },
  variables: { theirs: (name) => `\${env:${name}}` },
  beforeRead(entry) {
    if (entry.type !== 'object') return entry;
    const transport = valueIn(entry, 'transport');
    const members =
      transport?.type === 'object'
        ? [...membersOf(entry).filter(({ value }) => value !== transport), ...membersOf(transport)]
        : membersOf(entry);
    const typed = members.some(({ key }) => key.value === 'type');
    const kept = typed ? members.filter(({ key }) => key.value !== 'transportType') : members;
    const url = kept.find(({ key }) => key.value === 'url');
    const command = kept.some(({ key }) => key.value === 'command');
    if (!url || command || kept.some(({ key }) => /^(?:type|transportType)$/.test(key.value)))
      return objectOf(kept, entry);
    return objectOf([...kept, { key: renamed(url.key, 'type'), value: scalarOf('sse', url.key) }], entry);
  },
});
