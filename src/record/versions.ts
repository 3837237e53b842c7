// The version of the format, and the way up from older ones.
//
// Adding a field or a kind of event changes nothing: readers pass over what they do not know. The number rises when
// something old changes its meaning; then a step is added here, and readers climb from any old version to the newest.

import type { FlowDirection } from '../flow/event.ts';

export const RECORDING_VERSION = 1;

/** A line as it was parsed, before anything is believed of it. */
export type RawLine = Readonly<Record<string, unknown>>;

/**
 * The kind of a line about bytes. Those of clients have kinds of their own: a reader that does not know clients passes over them
 * instead of showing them as traffic of servers.
 */
export function kindOf(kind: 'frame' | 'fault', direction: FlowDirection): string {
  return direction === 'toServer' || direction === 'fromServer' ? kind : `client-${kind}`;
}

/** From the version that is the key to the next. */
export type Migrations = Readonly<Record<number, (line: RawLine) => RawLine>>;

export const migrations: Migrations = {};

/** Undefined where no way leads from that version to ours. */
export function migrate(
  line: RawLine,
  version: number,
  steps: Migrations = migrations,
  newest: number = RECORDING_VERSION,
): RawLine | undefined {
  if (version > newest) return undefined;
  let migrated = line;
  for (let from = version; from < newest; from++) {
    const step = steps[from];
    if (!step) return undefined;
    migrated = step(migrated);
  }
  return migrated;
}
