// One message as it went over a pipe.

import { readFileSync } from 'node:fs';

export interface WireRecord {
  /** Which process of the server it was: a client may start more than one. */
  connection: number;
  from: 'client' | 'server';
  message: unknown;
}

/** What our-server.mjs has written down. */
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
