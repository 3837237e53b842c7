// The files of this repository in a fresh clone: without installed, built and measured files.

import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const notCloned = new Set(['.git', '.standpipe', 'coverage', 'dist', 'node_modules', 'results']);

/** Paths from the root, with forward slashes, sorted. */
export function repositoryFiles(folder = '.'): string[] {
  const files: string[] = [];
  const walk = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (notCloned.has(entry.name)) continue;
      const child = join(path, entry.name);
      if (entry.isDirectory()) walk(child);
      else if (entry.isFile()) files.push(relative(root, child).replaceAll('\\', '/'));
    }
  };
  walk(join(root, folder));
  return files.sort();
}

/**
 * Copies the repository as a fresh clone after `npm ci`: nothing is built, and a build in the copy does not affect
 * `dist` here.
 */
export function copyRepository(target: string): void {
  cpSync(root, target, { recursive: true, filter: (source) => source === root || !notCloned.has(basename(source)) });
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'), 'junction');
}
