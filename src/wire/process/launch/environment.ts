// The environment of a child: a short allow-list of inherited variables, plus `env`.
// A host's environment contains secrets that a server does not need, so a child inherits only the variables that programs need to find
// other programs, their caches, their language and their temporary folder. PATH is kept with a custom `env`. This file must not depend on
// the kind of the child.

import { marksVariable } from '../tree/mark.ts';
import type { Environment } from './system.ts';

const posixNames = new Set([
  'HOME',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'USER',
  // Encoding: without these, Python and others use ASCII and fail at the first non-ASCII character.
  'LANG',
  'LANGUAGE',
  // Time zone and temporary folder.
  'TZ',
  'TMPDIR',
  // Marks of the hosts that run this process as a server (mark.ts).
  marksVariable,
]);

// LC_*: locale, as LANG. XDG_*: the caches of uv, npm, pip and others, which would otherwise download everything again.
const posixPrefixes = ['LC_', 'XDG_'];

const windowsNames = new Set([
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'LOGONSERVER', // Node.js passes this variable to every child
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/**
 * The variables that are inherited by default. On POSIX systems, names that begin with LC_ and XDG_ are inherited as
 * well.
 */
export const DEFAULT_INHERITED_ENV_VARS: readonly string[] = [
  ...(process.platform === 'win32' ? windowsNames : posixNames),
].filter((name) => name !== marksVariable);

/** The environment of a server without `env`. */
export function getDefaultEnvironment(): Record<string, string> {
  const { [marksVariable]: _marks, ...environment } = childEnvironment();
  return environment;
}

export function childEnvironment(
  extra: Environment = {},
  base: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const allowed = platform === 'win32' ? allowedOnWindows : allowedOnPosix;
  const child: Record<string, string> = {};

  for (const [name, value] of Object.entries(base)) {
    // A value that starts with `()` is a function exported by bash, which is code and is not inherited.
    if (value !== undefined && allowed(name) && !value.startsWith('()')) child[name] = value;
  }
  return withVariables(child, extra, platform);
}

export function withVariables(
  environment: Readonly<Record<string, string>>,
  extra: Environment,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const both = { ...environment };
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) continue;
    // Windows would pass both `Path` and `PATH`, and the child would see the one that sorts first.
    if (platform === 'win32') removeIgnoringCase(both, name);
    both[name] = value;
  }
  return both;
}

/**
 * The whole environment of this process plus `extra`. Used by a tap, which must not change the environment of its server.
 */
export function wholeEnvironment(extra: Environment = {}, base: Environment = process.env): Record<string, string> {
  const own = Object.entries(base).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return withVariables(Object.fromEntries(own), extra);
}

/** Names of variables that are set here but not passed to a child with this environment. */
export function withheldNames(child: Environment, base: Environment = process.env): string[] {
  return Object.keys(base).filter((name) => base[name] && readVariable(child, name) === undefined);
}

/** The value of a variable, ignoring the case of its name on Windows. */
export function readVariable(
  environment: Environment,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== 'win32') return environment[name];
  const key = Object.keys(environment).find((key) => key.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}

function allowedOnPosix(name: string): boolean {
  return posixNames.has(name) || posixPrefixes.some((prefix) => name.startsWith(prefix));
}

function allowedOnWindows(name: string): boolean {
  return windowsNames.has(name.toUpperCase());
}

function removeIgnoringCase(environment: Record<string, string>, name: string): void {
  for (const key of Object.keys(environment)) {
    if (key.toUpperCase() === name.toUpperCase()) delete environment[key];
  }
}
