// Starts this program again in the background, in its own session and without the terminal, folder and streams of its parent. The new
// process reports the result of its start in one message and then runs independently: stopping the server or host that this program
// belongs to does not stop it.

import { spawn } from 'node:child_process';
import { leaveTrees } from '../tree/mark.ts';

export interface DetachedOptions {
  cwd: string;
  /** The complete environment. */
  env: Readonly<Record<string, string>>;
  /** Descriptor of an open file for stdout and stderr. */
  output: number;
}

export interface DetachedStart {
  pid: number;
  /** The reported value; undefined if the process ended without a report. */
  report: unknown;
  /** Exit code or signal name of a process that ended without a report. */
  end: number | string | null;
}

/** Rejects with the system error if the process cannot be started. */
export function startDetached(args: readonly string[], options: DetachedOptions): Promise<DetachedStart> {
  const { cwd, env, output } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: leaveTrees(env),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
    child.once('error', reject);
    child.once('message', (report) => {
      child.disconnect();
      child.unref();
      resolve({ pid: child.pid!, report, end: null });
    });
    child.once('exit', (code, signal) => resolve({ pid: child.pid!, report: undefined, end: signal ?? code }));
  });
}

/** Sends the report to the process that called `startDetached`. Does nothing in any other process. */
export function reportStart(report: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(report, () => {
      if (process.connected) process.disconnect();
      resolve();
    });
  });
}
