import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withFileLock } from './file-lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'standpipe-claims-'));
  file = join(folder, 'wanted');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('runs one of many tasks at a time, all of them in the end, and leaves no claim', async () => {
  let inside = 0;
  let most = 0;
  const done: number[] = [];
  const task = async (id: number) => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
    done.push(id);
  };
  const ids = [0, 1, 2, 3, 4, 5];
  await Promise.all(ids.map((id) => withFileLock(file, () => task(id))));
  expect(most).toBe(1);
  expect(done.toSorted()).toEqual(ids);
  expect(readdirSync(folder)).toEqual([]);
});

test('the claim of a killed process does not block others, and is removed', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  writeFileSync(`${file}.claim-${pid}-x`, '');
  expect(await withFileLock(file, async () => readdirSync(folder).length)).toBe(1);
});

test('the claim of a process whose pid was reused does not block others', async () => {
  const claim = `${file}.claim-${process.ppid}-x`;
  writeFileSync(claim, '');
  const longAgo = Date.now() / 1000 - 60;
  utimesSync(claim, longAgo, longAgo);
  expect(await withFileLock(file, async () => readdirSync(folder).length)).toBe(1);
});

test('waits for a claim of a running process, and a failed task removes its own', async () => {
  const held = `${file}.claim-${process.ppid}-x`;
  writeFileSync(held, '');
  let steps = 0;
  const clock = {
    nowMs: () => 0,
    after(_: number, again: () => void) {
      if (++steps === 3) rmSync(held);
      queueMicrotask(again);
      return { cancel: () => undefined, keepAlive: () => undefined };
    },
  };
  const failing = withFileLock(file, () => Promise.reject(new Error('no')), clock);
  await expect(failing).rejects.toThrow('no');
  expect(steps).toBe(3);
  expect(readdirSync(folder)).toEqual([]);
});

test('ignores a claim on another file', async () => {
  writeFileSync(`${file}-too.claim-${process.ppid}-x`, '');
  expect(await withFileLock(file, async () => 'done')).toBe('done');
});

test('increases the delay with each attempt, up to a second', async () => {
  const held = `${file}.claim-${process.ppid}-x`;
  writeFileSync(held, '');
  vi.spyOn(Math, 'random').mockReturnValue(1);
  const waitsMs: number[] = [];
  const clock = {
    nowMs: () => 0,
    after(waitMs: number, again: () => void) {
      if (waitsMs.push(waitMs) === 8) rmSync(held);
      queueMicrotask(again);
      return { cancel: () => undefined, keepAlive: () => undefined };
    },
  };
  await withFileLock(file, async () => undefined, clock).finally(() => vi.restoreAllMocks());
  expect(waitsMs).toEqual([20, 40, 80, 160, 320, 640, 1000, 1000]);
});
