// One message on a pipe.

import { readFileSync } from 'node:fs';

export interface WireRecord {
  /** Number of the server process; a client may start several. */
  connection: number;
  from: 'client' | 'server';
  message: unknown;
}

/** The messages that our-server.mjs recorded. */
export function readWireRecords(file: string): WireRecord[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { pid, from, text } = JSON.parse(line) as { pid: number; from: WireRecord['from']; text: string };
      return { connection: pid, from, message: JSON.parse(text) };
    });
}
