import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lacks } from '../../../../test/fixtures/windows.ts';
import { isRunning, sendSignal } from './signals.ts';

const ended = spawnSync(process.execPath, ['-e', '0']).pid;

test('this process is running, and one that has exited is not', () => {
  expect(isRunning(process.pid)).toBe(true);
  if (!lacks.unusedPids) expect(isRunning(ended)).toBe(false);
});

test.skipIf(process.platform === 'win32')('a process of another user is running', () => {
  expect(isRunning(1)).toBe(true);
});

test('an invalid pid is not running', () => {
  for (const pid of [1.5, Number.NaN, 2 ** 40]) expect(isRunning(pid)).toBe(false);
});

test.skipIf(lacks.unusedPids)('a signal to a process that has exited reaches no process', () => {
  expect(sendSignal(ended, 'SIGTERM')).toBe(false);
});
