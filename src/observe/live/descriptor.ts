// The descriptor file by which a running tap or host is found.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replacePrivately } from '../../wire/process/files/private-file.ts';
import { keyFileOf } from '../../wire/transport/local-key.ts';

export interface LiveDescriptor {
  standpipe: 'live';
  version: 1;
  kind: 'tap' | 'host';
  /** Display name. For a tap, the name of the server. */
  name: string;
  pid: number;
  startedAt: string;
  /** Socket that streams the flow in the recording format to programs that have its key: see `watchLive`. */
  socket: string;
  /** For a host: the address for commands. */
  control?: string | undefined;
  command?: string | undefined;
  cwd?: string | undefined;
  /** For a host: the command-line options that select it, such as `--config FILE`. */
  cliOptions?: readonly string[] | undefined;
  /** Path of the recording, if there is one. */
  record?: string | undefined;
}

/** Written atomically, so that readers never see a partial file. */
export function writeDescriptor(folder: string, id: string, descriptor: LiveDescriptor): string {
  const file = join(folder, `${id}.json`);
  replacePrivately(file, `${JSON.stringify(descriptor, null, 2)}\n`);
  return file;
}

/** Undefined if the file is not a descriptor or was removed. */
export function readDescriptor(file: string): LiveDescriptor | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<LiveDescriptor> | null;
    const sound = value?.standpipe === 'live' && typeof value.pid === 'number' && typeof value.socket === 'string';
    return sound ? (value as LiveDescriptor) : undefined;
  } catch {
    return undefined;
  }
}

/** Also removes the socket and key beside it. The paths in the descriptor are not trusted. */
export function removeDescriptor(file: string): void {
  const socket = file.replace(/\.json$/, '.sock');
  for (const each of [file, socket, keyFileOf(socket)]) rmSync(each, { force: true });
}
