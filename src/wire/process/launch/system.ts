// The system calls that the search for a program needs. They are passed in, so that the Windows rules can be tested on every platform.

import { execFile } from 'node:child_process';
import { accessSync, closeSync, constants, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder and variables with which a program is searched and run. */
export interface Surroundings {
  environment: Environment;
  cwd: string;
  signal?: AbortSignal | undefined;
}

export interface System {
  platform: NodeJS.Platform;
  /** The path of cmd.exe. */
  commandProcessor: string;
  kindOf(path: string): 'file' | 'folder' | undefined;
  /** Returns true if the mode of a file allows execution. Always true on Windows. */
  mayExecute(file: string): boolean;
  /** The first 64 KB of a file, or an empty string if it cannot be read. */
  start(file: string): string;
  /** The stdout of a program, or undefined if it fails. */
  output(file: string, args: readonly string[], surroundings: Surroundings): Promise<string | undefined>;
}

export const realSystem: System = {
  platform: process.platform,
  commandProcessor: windowsTool('cmd.exe'),
  kindOf(path) {
    try {
      return statSync(path).isDirectory() ? 'folder' : 'file';
    } catch (error) {
      // Microsoft Store programs are links that can be started but not resolved.
      const isAlias = process.platform === 'win32' && (error as NodeJS.ErrnoException).code !== 'ENOENT';
      return isAlias && lstatSync(path, { throwIfNoEntry: false }) ? 'file' : undefined;
    }
  },
  mayExecute(file) {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  start(file) {
    try {
      const descriptor = openSync(file, 'r');
      try {
        const start = Buffer.alloc(64 * 1024);
        return start.toString('utf8', 0, readSync(descriptor, start));
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return '';
    }
  },
  output(file, args, { environment, cwd, signal }) {
    return new Promise((resolve, reject) => {
      const options = { env: environment as NodeJS.ProcessEnv, cwd, signal, windowsHide: true };
      execFile(file, args, options, (error, stdout) => {
        if (signal?.aborted) reject(signal.reason);
        else resolve(error ? undefined : stdout);
      });
    });
  },
};

export function pathModuleOf({ platform }: Pick<System, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** The absolute path of a Windows system program. With a bare name, Windows would search the current folder first. */
export function windowsTool(name: string, environment: Environment = process.env): string {
  return win32.join(environment.SystemRoot ?? 'C:\\Windows', 'System32', name);
}
