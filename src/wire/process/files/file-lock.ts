// A lock on a file between processes. Node.js has no lock that ends with its owner, so each process creates a claim file with a unique name
// beside the file, and continues if it sees no other claim. If two processes claim at once, at least one sees the other, withdraws its
// claim and tries again. The claim of a killed process is recognised by its pid; several processes may remove it.

import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { isRunning } from '../tree/signals.ts';

/** Most locks are held for milliseconds. An older claim belongs to a dead process whose pid was reused. */
const MAX_CLAIM_MS = 10_000;
/**
 * Bounds of the random delay between attempts, which keeps two processes from colliding repeatedly. The bound doubles with each attempt:
 * otherwise many processes that claim at once would never see only their own claim if claiming is slow, as on Windows with a virus scanner.
 */
const [FIRST_STEP_BACK_MS, MAX_STEP_BACK_MS] = [20, 1_000];

/** `maxClaimMs`: for tasks that may take longer than the default. All users of a lock must pass the same value. */
export async function withFileLock<T>(
  file: string,
  task: () => Promise<T>,
  clock: Clock = systemClock,
  maxClaimMs = MAX_CLAIM_MS,
): Promise<T> {
  for (let stepBackMs = FIRST_STEP_BACK_MS; ; stepBackMs = Math.min(2 * stepBackMs, MAX_STEP_BACK_MS)) {
    const done = await tryFileLock(file, task, maxClaimMs);
    if (done) return done.result;
    const waitMs = Math.random() * stepBackMs;
    await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  }
}

/** Resolves to undefined if another process holds or attempts to get the lock. The task was then not run. */
export async function tryFileLock<T>(
  file: string,
  task: () => Promise<T>,
  maxClaimMs = MAX_CLAIM_MS,
): Promise<{ result: T } | undefined> {
  const claim = `${file}.claim-${process.pid}-${randomUUID()}`;
  await writeFile(claim, '', { flag: 'wx', mode: 0o600 });
  try {
    return (await isAlone(file, claim, maxClaimMs)) ? { result: await task() } : undefined;
  } finally {
    await rm(claim, { force: true });
  }
}

async function isAlone(file: string, claim: string, maxClaimMs: number): Promise<boolean> {
  const folder = dirname(file);
  const start = `${basename(file)}.claim-`;
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (!name.startsWith(start) || other === claim) continue;
    if (await isHeld(other, Number.parseInt(name.slice(start.length), 10), maxClaimMs)) return false;
  }
  return true;
}

async function isHeld(claim: string, pid: number, maxClaimMs: number): Promise<boolean> {
  const found = await stat(claim).catch(() => undefined); // undefined if the claim was withdrawn in the meantime
  if (!found) return false;
  if (isRunning(pid) && Date.now() - found.mtimeMs < maxClaimMs) return true;
  await rm(claim, { force: true });
  return false;
}
