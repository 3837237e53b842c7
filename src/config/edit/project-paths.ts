// Finds paths that work only in a project folder. A host starts the servers of a user config in another folder.

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { PlainEntry } from '../hosts/host-program.ts';

/** Words of an entry that are relative paths of files in the folder. */
export function relativeFiles(entry: PlainEntry, folder: string): string[] {
  if (entry.cwd !== undefined) return [];
  return wordsOf(entry).filter(
    (word) => /[^./\\][./\\]/.test(word) && !isAbsolute(word) && existsSync(resolve(folder, word)),
  );
}

/** Words of an entry that are files of packages installed in a project. */
export function filesOfProjects(entry: PlainEntry): string[] {
  return wordsOf(entry).filter((word) => isAbsolute(word) && projectOf(word) !== undefined);
}

/** The folder of the project that has installed the package of a file; undefined for a file of a global package. */
export function projectOf(file: string): string | undefined {
  const [, folder] = /^(.+?)[\\/]node_modules[\\/]/.exec(file) ?? [];
  const isGlobal = folder !== undefined && /[\\/]global(?:[\\/][\w.]+)?$/.test(folder); // of pnpm, Yarn and Bun
  return folder !== undefined && !isGlobal && existsSync(join(folder, 'package.json')) ? folder : undefined;
}

function wordsOf({ command, args }: PlainEntry): string[] {
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
}
