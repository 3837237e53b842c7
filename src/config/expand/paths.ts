// Paths of a given platform, which may not be the current one: a config of Windows can be read everywhere, also in tests.

import { posix, win32 } from 'node:path';

export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** An absolute path is unchanged, also one of Windows on another system: it must not be joined to another path. */
export function resolvePath(folder: string, path: string, platform: NodeJS.Platform): string {
  const absolute = posix.isAbsolute(path) || isWindowsPath(path);
  return absolute ? path : pathOf(platform).resolve(folder, path);
}

/** `C:/…`, `C:\…` or `\\server\…`. */
function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}
