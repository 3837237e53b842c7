// Lets one process at a time do something to a file that several may want to replace. Node has no lock that ends with its
// owner, so each leaves a claim beside the file, under a name that nobody ever has again, and goes ahead if it sees no
// other: of two that claim at once, at least one sees the other. Whoever sees one steps back and tries again. What a
// killed process left behind is known by its pid; several may remove it at once, since the name does not come again.

import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isRunning } from '../tree/signals.ts';

/** What is done under a claim takes milliseconds. An older one is that of a dead process whose pid was given out again. */
const MAX_CLAIM_MS = 10_000;
/** By chance within this time, so that two who saw each other do not meet again and again. */
const STEP_BACK_MS = 20;

export async function withFileLock<T>(file: string, task: () => Promise<T>, clock: Clock = systemClock): Promise<T> {
  for (;;) {
    const claim = `${file}.claim-${process.pid}-${randomUUID()}`;
    await writeFile(claim, '', { flag: 'wx', mode: 0o600 });
    try {
      if (await isAlone(file, claim)) return await task();
    } finally {
      await rm(claim, { force: true });
    }
    await new Promise<void>((resolve) => clock.after(Math.random() * STEP_BACK_MS, resolve));
  }
}

async function isAlone(file: string, claim: string): Promise<boolean> {
  const folder = dirname(file);
  const start = `${basename(file)}.claim-`;
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (!name.startsWith(start) || other === claim) continue;
    if (await isHeld(other, Number.parseInt(name.slice(start.length), 10))) return false;
  }
  return true;
}

async function isHeld(claim: string, pid: number): Promise<boolean> {
  const found = await stat(claim).catch(() => undefined); // withdrawn meanwhile
  if (!found) return false;
  if (isRunning(pid) && Date.now() - found.mtimeMs < MAX_CLAIM_MS) return true;
  await rm(claim, { force: true });
  return false;
}
