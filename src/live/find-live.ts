// Finds the taps and hosts that run now, and watches one. What a killed one left behind is removed on the way.

import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ReaderOptions, type RecordingItem, readRecording } from '../record/reader.ts';
import { isRunning } from './announce.ts';
import { type LiveDescriptor, readDescriptor, removeDescriptor } from './descriptor.ts';
import { isTrusted, runtimeFolder } from './runtime-folder.ts';

export async function findLive(folder: string = runtimeFolder()): Promise<LiveDescriptor[]> {
  if (!isTrusted(folder)) return [];
  const names = await readdir(folder).catch(() => []); // no folder: nobody was ever announced
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  const found = await Promise.all(files.map(check));
  return found.filter((live) => live !== undefined).sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

/** The events of a tap or host: what it still holds, then what happens, until it ends or the loop is left. */
export async function* watchLive(
  live: LiveDescriptor,
  options?: ReaderOptions,
): AsyncGenerator<RecordingItem, void, undefined> {
  const socket = await connected(live.socket);
  try {
    yield* readRecording(socket, options);
  } finally {
    socket.destroy();
  }
}

async function check(file: string): Promise<LiveDescriptor | undefined> {
  const live = readDescriptor(file);
  if (!live) return undefined;
  if (isRunning(live.pid) && (await answers(live.socket))) return live;
  removeDescriptor(file);
  return undefined;
}

/** False only where it is certain that nobody listens: the pid may serve another program by now. */
async function answers(path: string): Promise<boolean> {
  try {
    (await connected(path)).destroy();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ECONNREFUSED' && code !== 'ENOENT';
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    socket.once('error', reject);
  });
}
