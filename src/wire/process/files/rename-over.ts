// Renames a file over another one. Windows refuses this while any program has the target open, even for reading, as virus scanners and
// hosts that watch their config do. The rename is retried for at most 1.6 s.

import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { type Clock, systemClock } from '../../../base/clock.ts';

const WAITS_MS = [5, 10, 20, 40, 80, 160, 320, 480, 480];

/** Overrides for tests. */
export interface RenamedOn {
  platform?: NodeJS.Platform;
  rename?: (from: string, to: string) => void;
  clock?: Clock;
}

/** Blocks this thread between attempts. */
export function renameOverSync(from: string, to: string, on: RenamedOn = {}): void {
  const attempt = on.rename ?? renameSync;
  for (const waitMs of waitsOn(on)) {
    try {
      return attempt(from, to);
    } catch (error) {
      if (!isOpen(error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  }
  attempt(from, to);
}

export async function renameOver(from: string, to: string, on: RenamedOn = {}): Promise<void> {
  const attempt = on.rename ?? rename;
  const { clock = systemClock } = on;
  for (const waitMs of waitsOn(on)) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!isOpen(error)) throw error;
    }
    await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  }
  await attempt(from, to);
}

function waitsOn({ platform = process.platform }: RenamedOn): readonly number[] {
  return platform === 'win32' ? WAITS_MS : [];
}

function isOpen(error: unknown): boolean {
  return /^(?:EPERM|EACCES|EBUSY)$/.test(String((error as NodeJS.ErrnoException).code));
}
