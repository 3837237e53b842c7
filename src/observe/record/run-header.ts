// The header line of a run in a recording. A file may contain several runs, in sequence or interleaved: every line names its run.

import { escapeLineSeparators } from '../../base/to-json.ts';
import type { FlowDirection } from '../flow/event.ts';

export interface RecordingRun {
  run: string;
  version: number;
  /** The date of `atMs` 0. Absent if the header was lost. */
  startedAt?: Date | undefined;
  pid?: number | undefined;
  about: Readonly<Record<string, unknown>>;
}

/** A short id that differs from the others in a file. */
export function newRunId(): string {
  return Math.random().toString(36).slice(2, 8).padEnd(6, '0');
}

export function headerLine({ run, startedAt, pid, about }: Omit<RecordingRun, 'version'>): string {
  const header = { standpipe: 'recording', version: RECORDING_VERSION, run, startedAt, pid, about };
  return escapeLineSeparators(JSON.stringify(header));
}

export function isHeader(line: RawLine): boolean {
  return line.standpipe === 'recording';
}

/** The end of the year 9999: sums with the times of events are dates too. */
const LATEST_START = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function parseHeader(line: RawLine): RecordingRun | undefined {
  const { version, run, startedAt, pid, about } = line;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return undefined;
  const date = typeof startedAt === 'string' ? new Date(startedAt) : undefined;
  return {
    run: typeof run === 'string' ? run : '',
    version,
    startedAt: date && date.getTime() <= LATEST_START ? date : undefined,
    pid: typeof pid === 'number' ? pid : undefined,
    about: typeof about === 'object' && about !== null ? (about as Record<string, unknown>) : {},
  };
}

/**
 * A new field or event kind does not change the version: readers ignore unknown ones. The version increases when the meaning of an existing
 * field changes; a step is then added to `migrations`, and readers migrate from any old version to the newest.
 */
export const RECORDING_VERSION = 1;

/** A parsed line that is not validated yet. */
export type RawLine = Readonly<Record<string, unknown>>;

/** The kind of a line with bytes. Client lines have their own kinds, so that readers without support for clients skip them. */
export function kindOf(kind: 'frame' | 'fault', direction: FlowDirection): string {
  return direction === 'toServer' || direction === 'fromServer' ? kind : `client-${kind}`;
}

/** Each step migrates from the version in its key to the next. */
export type Migrations = Readonly<Record<number, (line: RawLine) => RawLine>>;

export const migrations: Migrations = {};

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
