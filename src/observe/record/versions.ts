// The version of the recording format, and the migration from older versions.
//
// A new field or event kind does not change the version: readers ignore unknown ones. The version increases when the
// meaning of an existing field changes; a step is then added here, and readers migrate from any old version to the
// newest.

import type { FlowDirection } from '../flow/event.ts';

export const RECORDING_VERSION = 1;

/** A parsed line that is not validated yet. */
export type RawLine = Readonly<Record<string, unknown>>;

/**
 * The kind of a line with bytes. Client lines have their own kinds, so that readers without support for clients skip them instead of
 * showing them as server traffic.
 */
export function kindOf(kind: 'frame' | 'fault', direction: FlowDirection): string {
  return direction === 'toServer' || direction === 'fromServer' ? kind : `client-${kind}`;
}

/** Each step migrates from the version in its key to the next. */
export type Migrations = Readonly<Record<number, (line: RawLine) => RawLine>>;

export const migrations: Migrations = {};

/** Undefined if the version cannot be migrated. */
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
