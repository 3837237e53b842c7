// Paths of a platform that need not be this one: a config written on Windows is read everywhere, and tests are run anywhere.

import { type PlatformPath, posix, win32 } from 'node:path';

export function pathOf(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** An absolute path stays as it is written, also one of Windows read elsewhere: it must not become a part of another. */
export function resolvePath(folder: string, path: string, platform: NodeJS.Platform): string {
  const absolute = posix.isAbsolute(path) || isWindowsPath(path);
  return absolute ? path : pathOf(platform).resolve(folder, path);
}

/** `C:/…`, `C:\…` or `\\server\…`. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}
