// Tests when a change is reported, on a clock that the test advances. Notifications of the system may cause additional checks
// while the clock stands still, which change nothing.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { FileWatch } from '../../src/config/files/watch-files.ts';

let folder: string;
let file: string;
let clock: ManualClock;
let watch: FileWatch;
let told: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standpipe-files-'));
  file = join(folder, 'mcp.json');
  writeFileSync(file, '1');
  clock = new ManualClock();
  told = 0;
  watch = new FileWatch(
    [file],
    [file],
    async () => {
      told++;
    },
    { clock, settleMs: 100, graceMs: 1000, pollMs: 2000 },
  );
  await looked();
  await turn(100);
  await turn(100);
});
afterEach(() => {
  watch.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A check ends by setting a timer for the next one; during a check there is none. */
async function looked(): Promise<void> {
  await vi.waitFor(() => expect(clock.pending).toBe(1), { interval: 1, timeout: 60_000 });
}

async function look(): Promise<void> {
  watch.look();
  await looked();
}

async function turn(ms: number): Promise<void> {
  clock.advance(ms);
  await looked();
}

test('reports once at the start, for earlier changes', () => {
  expect(told).toBe(1);
});

test('sees a change without a notification', async () => {
  writeFileSync(file, '2');
  await turn(2000);
  await turn(100);
  expect(told).toBe(2);
});

test('reports a change after a period without further changes', async () => {
  writeFileSync(file, '2');
  await look();
  await turn(60);
  writeFileSync(file, '3');
  await look();
  await turn(60);
  expect(told).toBe(1);
  await turn(40);
  expect(told).toBe(2);
});

test('a file that returns within the grace period counts as unchanged', async () => {
  rmSync(file);
  await look();
  await turn(900);
  writeFileSync(file, '1');
  await look();
  await turn(100);
  await turn(2000);
  expect(told).toBe(1);
});

test('a file that stays away counts as removed after the grace period', async () => {
  rmSync(file);
  await look();
  await turn(999);
  expect(told).toBe(1);
  await turn(1);
  expect(told).toBe(2);
});

test('a new list of files counts as a change', async () => {
  watch.setFiles([file, join(folder, 'other')]);
  await look();
  await turn(100);
  expect(told).toBe(2);
});

test('leaves no timer after close', () => {
  watch.close();
  expect(clock.pending).toBe(0);
});
