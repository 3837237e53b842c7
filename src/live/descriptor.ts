// The file by which a running tap or host can be found.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replacePrivately } from '../process/files/private-file.ts';
import { keyFileOf } from '../transport/local-key.ts';

export interface LiveDescriptor {
  standpipe: 'live';
  version: 1;
  kind: 'tap' | 'host';
  /** For display. Of a tap, the name of the server. */
  name: string;
  pid: number;
  startedAt: string;
  /** Streams the flow, in the format of recordings, to each program that has the key of the socket: see `watchLive`. */
  socket: string;
  /** Of a host: where it takes commands. */
  control?: string | undefined;
  command?: string | undefined;
  cwd?: string | undefined;
  /** Of a host: the options by which a command reaches it, such as `--config FILE`. */
  cliOptions?: readonly string[] | undefined;
  /** Where it is recorded. */
  record?: string | undefined;
}

/** Whole or not at all: a reader never sees half of it. */
export function writeDescriptor(folder: string, id: string, descriptor: LiveDescriptor): string {
  const file = join(folder, `${id}.json`);
  replacePrivately(file, `${JSON.stringify(descriptor, null, 2)}\n`);
  return file;
}

/** Undefined where it is none, or gone meanwhile. */
export function readDescriptor(file: string): LiveDescriptor | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<LiveDescriptor> | null;
    const sound = value?.standpipe === 'live' && typeof value.pid === 'number' && typeof value.socket === 'string';
    return sound ? (value as LiveDescriptor) : undefined;
  } catch {
    return undefined;
  }
}

/** With its socket and key, which lie beside it: where a descriptor says they lie, anything may lie. */
export function removeDescriptor(file: string): void {
  const socket = file.replace(/\.json$/, '.sock');
  for (const each of [file, socket, keyFileOf(socket)]) rmSync(each, { force: true });
}
