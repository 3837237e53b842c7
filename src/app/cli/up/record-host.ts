// `up --record`: records all events of servers and clients in a file. A failed write does not affect the traffic: it is reported, and
// recording is tried again.

import { resolve } from 'node:path';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { Host } from '../../../host/host.ts';
import type { Recorder } from '../../../observe/record/recorder.ts';

export interface RecordOptions {
  record?: string;
  maxFileBytes?: number;
  maxFiles?: number;
}

export async function recordHost(
  host: Host,
  about: { name: string; cwd: string },
  { record: file, maxFileBytes, maxFiles }: RecordOptions,
  redact: Redact,
  note: (text: string) => void,
): Promise<Recorder | undefined> {
  if (file === undefined) return undefined;
  const { record } = await import('../../../observe/record/recorder.ts');
  return record(host.flow, {
    file: resolve(file),
    redact,
    maxFileBytes,
    maxFiles,
    about: { kind: 'host', ...about, record: resolve(file) },
    onFailure: ({ message }) => note(`Cannot record to ${file}: ${message}`),
  });
}
