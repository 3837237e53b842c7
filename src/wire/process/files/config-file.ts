// Paths of this user's settings files.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { readVariable } from '../launch/environment.ts';
import type { Environment } from '../launch/system.ts';

/** The base of a user's paths. Tests pass their own. */
export interface UserPlaces {
  env: Environment;
  home: string;
  platform: NodeJS.Platform;
}

export function userPlaces(): UserPlaces {
  return { env: process.env, home: homedir(), platform: process.platform };
}

/** The environment variable that names the parent of our config folder. */
export const CONFIG_VARIABLE = process.platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME';

/** On Windows, an existing file of an earlier version below `XDG_CONFIG_HOME` or `.config` is still used. */
export function configFile(name: string, places = userPlaces(), exists = existsSync): string {
  const inXdg = inUserFolder(places, 'XDG_CONFIG_HOME', ['.config'], ['standpipe', name]);
  if (places.platform !== 'win32') return inXdg;
  const file = inUserFolder(places, 'APPDATA', ['AppData', 'Roaming'], ['standpipe', name]);
  return !exists(file) && exists(inXdg) ? inXdg : file;
}

/**
 * A path below the folder named by a variable, or else below the home folder. A relative path in the variable is
 * ignored.
 */
export function inUserFolder(
  { env, home, platform }: UserPlaces,
  variable: string,
  inHome: readonly string[],
  parts: readonly string[],
): string {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const named = readVariable(env, variable, platform) ?? '';
  return join(isAbsolute(named) ? named : join(home, ...inHome), ...parts);
}
