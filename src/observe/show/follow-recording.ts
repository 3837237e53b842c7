// The bytes of a recording that is still being written: first the stored bytes, then new ones, even after a rotation.

import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { CancelSignal } from '../../base/cancel-signal.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { pause } from '../../base/wait.ts';
import { recordingFiles } from '../record/reader.ts';

export interface FollowOptions {
  signal: CancelSignal;
  /** Called once, when the bytes that were stored at the start have been read. */
  onStored: () => void;
  clock?: Clock;
}

const LOOK_MS = 200;
const CHUNK_BYTES = 256 * 1024;
/** Ends a partial line at the end of a file. */
const lineEnd = Uint8Array.of(0x0a);

/** Rejects with the reason of the signal when it aborts. */
export async function* followRecording(
  file: string,
  { signal, onStored, clock = systemClock }: FollowOptions,
): AsyncGenerator<Uint8Array, never, undefined> {
  for (const earlier of (await recordingFiles(file)).slice(0, -1)) {
    const handle = await open(earlier);
    yield* rest(handle);
    await handle.close();
    yield lineEnd;
  }
  for (let isFirst = true; ; isFirst = false) {
    const handle = await openAgain(file, clock, signal);
    try {
      yield* rest(handle);
      if (isFirst) onStored();
      while (await isCurrent(file, handle)) {
        await pause(clock, LOOK_MS, signal);
        yield* rest(handle);
      }
      yield* rest(handle); // bytes that were written before the rotation
    } finally {
      await handle.close();
    }
    yield lineEnd;
  }
}

/** Reads from the position of the handle to the end of the file. */
async function* rest(handle: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead);
  }
}

/** Returns false after a rotation, but not while the file is missing between two renames. */
async function isCurrent(file: string, handle: FileHandle): Promise<boolean> {
  const [ours, there] = await Promise.all([handle.stat(), found(file)]);
  return there === undefined || (there.ino === ours.ino && there.dev === ours.dev);
}

async function openAgain(file: string, clock: Clock, signal: CancelSignal): Promise<FileHandle> {
  for (;;) {
    if (await found(file)) return open(file);
    await pause(clock, LOOK_MS, signal);
  }
}

async function found(file: string): Promise<Stats | undefined> {
  return stat(file).catch(() => undefined); // the file is missing between two renames
}
