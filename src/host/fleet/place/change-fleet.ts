// Computes the changes that give a fleet the servers of a config text, and applies each by compare-and-set.

import { isDeepStrictEqual } from 'node:util';
import type { ClusterNetwork, KeyedRecord, ServerRecord } from '../cluster-network.ts';
import { keyOfServer } from '../subjects.ts';
import { usableServer } from './fleet-state.ts';

export interface FleetServerChange {
  name: string;
  kind: 'add' | 'change' | 'remove' | 'none';
  before: KeyedRecord<ServerRecord> | undefined;
  after: ServerRecord | undefined;
}

export function changesTo(
  wanted: readonly ServerRecord[],
  current: ReadonlyMap<string, KeyedRecord<ServerRecord>>,
): FleetServerChange[] {
  const changes = wanted.map((after): FleetServerChange => {
    const before = current.get(keyOfServer(after.name));
    const kind = !before ? 'add' : isDeepStrictEqual(plain(before.value), plain(after)) ? 'none' : 'change';
    return { name: after.name, kind, before, after };
  });
  const kept = new Set(wanted.map(({ name }) => name));
  for (const before of current.values()) {
    const { name } = before.value;
    if (!kept.has(name)) changes.push({ name, kind: 'remove', before, after: undefined });
  }
  return changes.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Resolves to false if another program has changed the server in the meantime; nothing was done. */
export async function carryOut(
  { directory: { servers } }: ClusterNetwork,
  change: FleetServerChange,
): Promise<boolean> {
  const { kind, name, before, after } = change;
  const key = keyOfServer(name);
  switch (kind) {
    case 'none':
      return true;
    case 'add': {
      if ((await servers.create(key, after!)) !== undefined) return true;
      const entry = await servers.get(key);
      if (!entry || usableServer(entry.value, key)) return false;
      return (await servers.update(key, after!, entry.revision)) !== undefined;
    }
    case 'change':
      return (await servers.update(key, after!, before!.revision)) !== undefined;
    case 'remove':
      return servers.remove(key, before!.revision);
  }
}

/** Returns the record as it looks when it is read from the directory. */
function plain(record: ServerRecord): unknown {
  return JSON.parse(JSON.stringify(record));
}
