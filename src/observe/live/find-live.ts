// Finds running taps and hosts and watches one of them. Files left by killed processes are removed on the way.

import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { isRunning } from '../../wire/process/tree/signals.ts';
import { connectLocal, isServed } from '../../wire/transport/local-socket.ts';
import { type ReaderOptions, type RecordingItem, readRecording } from '../record/reader.ts';
import { isTrusted, type LiveDescriptor, readDescriptor, removeDescriptor, runtimeFolder } from './runtime-folder.ts';

export async function findLive(folder: string = runtimeFolder()): Promise<LiveDescriptor[]> {
  if (!isTrusted(folder)) return [];
  const names = await readdir(folder).catch(() => []); // the folder may not exist yet
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  const found = await Promise.all(files.map(check));
  return found.filter((live) => live !== undefined).sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

/** Connects to the event stream. Rejects with the system error if there is no answer. */
export function connectLive(live: LiveDescriptor): Promise<Socket> {
  return connectLocal(live.socket);
}

/** Yields the events of a tap or host: the stored ones, then new ones, until it ends or the loop is left. */
export async function* watchLive(
  live: LiveDescriptor,
  options?: ReaderOptions,
): AsyncGenerator<RecordingItem, void, undefined> {
  const socket = await connectLive(live);
  try {
    yield* readRecording(socket, options);
  } finally {
    socket.destroy();
  }
}

async function check(file: string): Promise<LiveDescriptor | undefined> {
  const live = readDescriptor(file);
  if (!live) return undefined;
  // The pid alone proves nothing, because the system may have given it to another program.
  if (isRunning(live.pid) && (await isServed(live.socket))) return live;
  removeDescriptor(file);
  return undefined;
}
