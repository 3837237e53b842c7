// Makes a running tap or host discoverable: a descriptor in the runtime folder and a socket beside it that streams its
// flow. The traffic does not depend on it: if announcing fails, the program continues without it.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Redact } from '../../base/secrets/redact.ts';
import { isRunning } from '../../wire/process/tree/signals.ts';
import type { FlowStore } from '../flow/store.ts';
import { type LiveDescriptor, readDescriptor, removeDescriptor, writeDescriptor } from './descriptor.ts';
import { FlowSocket, type FlowSocketOptions } from './flow-socket.ts';
import { ensureRuntimeFolder, runtimeFolder } from './runtime-folder.ts';

export type Announcement = Pick<
  LiveDescriptor,
  'kind' | 'name' | 'control' | 'command' | 'cwd' | 'cliOptions' | 'record'
>;

export interface AnnounceOptions extends Pick<FlowSocketOptions, 'maxViewers' | 'stallMs'> {
  folder?: string;
  redact?: Redact;
}

export interface Announced {
  readonly descriptor: LiveDescriptor;
  readonly viewers: number;
  /** Sends remaining events to viewers that read promptly. Never rejects. */
  close(): Promise<void>;
}

/** Rejects with the system error if the folder is not safe or the socket cannot be opened. */
export async function announce(
  store: FlowStore,
  about: Announcement,
  { folder = runtimeFolder(), redact, ...limits }: AnnounceOptions = {},
): Promise<Announced> {
  ensureRuntimeFolder(folder);
  removeDead(folder);
  const id = `${about.kind}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const path = join(folder, `${id}.sock`);
  const shown = { ...about, command: about.command && redact ? redact(about.command) : about.command };
  const socket = new FlowSocket(store, { path, redact, about: shown, ...limits });
  await socket.listen();
  const descriptor: LiveDescriptor = {
    standpipe: 'live',
    version: 1,
    ...shown,
    pid: process.pid,
    startedAt: store.startedAt.toISOString(),
    socket: path,
  };
  const file = writeDescriptor(folder, id, descriptor);
  const remove = () => removeDescriptor(file);
  process.once('exit', remove);
  return {
    descriptor,
    get viewers() {
      return socket.viewers;
    },
    async close() {
      process.off('exit', remove);
      remove();
      await socket.close();
    },
  };
}

/** Removes files of processes that ended without cleaning up. */
function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const found = readDescriptor(file);
    if (found && !isRunning(found.pid)) removeDescriptor(file);
  }
}
