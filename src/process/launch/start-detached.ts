// Starts this program again in the background: in a session of its own, without the terminal, the folder and the streams of
// the process that starts it. The new process reports by one message how its start went, and is then left alone.

import { spawn } from 'node:child_process';

export interface DetachedOptions {
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** The descriptor of an open file for stdout and stderr. */
  output: number;
}

export interface DetachedStart {
  pid: number;
  /** What it reported; undefined if it ended without a report. */
  report: unknown;
  /** How it ended without a report: an exit code, or the name of a signal. */
  end: number | string | null;
}

/** Rejects with the error of the system if the process cannot be started. */
export function startDetached(args: readonly string[], options: DetachedOptions): Promise<DetachedStart> {
  const { cwd, env, output } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
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

/** To the process that started this one by `startDetached`; does nothing in any other process. */
export function reportStart(report: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(report, () => {
      if (process.connected) process.disconnect();
      resolve();
    });
  });
}
