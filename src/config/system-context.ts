// The folders, the environment and the platform in which configs are searched and expanded. All are passed in, so that every
// platform can be tested on any other.

import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

export interface SystemContext {
  /** The folder Standpipe was started in. */
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export function systemContext(options: Partial<SystemContext> = {}): SystemContext {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform } = options;
  return { cwd, home, env, platform };
}

/** Paths of a given platform, which may not be the current one: a Windows config can be read on every platform. */
export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** An absolute path is unchanged, even a Windows path on another system: it must not be joined to another path. */
export function resolvePath(folder: string, path: string, platform: NodeJS.Platform): string {
  const absolute = posix.isAbsolute(path) || isWindowsPath(path);
  return absolute ? path : pathOf(platform).resolve(folder, path);
}

/** Returns true for `C:/…`, `C:\…` and `\\server\…`. */
function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}
