// The header line of a run in a recording: the program run that its lines belong to, and the start of its clock. A file
// may contain several runs, in sequence or interleaved: every line names its run.

import { escapeLineSeparators } from '../../base/line-separators.ts';
import { type RawLine, RECORDING_VERSION } from './versions.ts';

export interface RecordingRun {
  run: string;
  version: number;
  /** The date of `atMs` 0. Absent if the header was lost. */
  startedAt?: Date | undefined;
  pid?: number | undefined;
  /** Further facts from the writer. */
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

/** Undefined if the line is not a valid header. */
export function parseHeader(line: RawLine): RecordingRun | undefined {
  const { version, run, startedAt, pid, about } = line;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return undefined;
  const date = typeof startedAt === 'string' ? new Date(startedAt) : undefined;
  return {
    run: typeof run === 'string' ? run : '',
    version,
    startedAt: date && !Number.isNaN(date.getTime()) ? date : undefined,
    pid: typeof pid === 'number' ? pid : undefined,
    about: typeof about === 'object' && about !== null ? (about as Record<string, unknown>) : {},
  };
}
