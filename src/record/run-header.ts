// The line that opens a run in a recording: which program run the lines behind it belong to, and when its clock began.
// A file may hold several runs, one after the other or mixed: every line names its own.

import { escapeLineSeparators } from '../base/line-separators.ts';
import { type RawLine, RECORDING_VERSION } from './versions.ts';

export interface RecordingRun {
  run: string;
  version: number;
  /** The date of `atMs` 0. Absent where the header was lost. */
  startedAt?: Date | undefined;
  pid?: number | undefined;
  /** What else its writer wanted to say. */
  about: Readonly<Record<string, unknown>>;
}

/** Short, and different from the others in any file. */
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

/** Undefined where it is no header that can be understood. */
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
