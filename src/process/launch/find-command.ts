// Finds a command as the system does: in the PATH of the child, or by its path. Only used to explain a failed start.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export interface FoundCommand {
  file: string;
  kind: 'executable' | 'not-executable' | 'directory';
}

export function isPath(command: string): boolean {
  return command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
}

/** The first executable, else the first file or folder of that name, else undefined. */
export function findCommand(command: string, searchPath: string | undefined, cwd: string): FoundCommand | undefined {
  const candidates = isPath(command)
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : (searchPath ?? '').split(delimiter).map((folder) => join(folder === '' ? cwd : folder, command));
  const found = candidates.flatMap(inspect);
  return found.find((candidate) => candidate.kind === 'executable') ?? found[0];
}

function inspect(file: string): FoundCommand[] {
  try {
    if (statSync(file).isDirectory()) return [{ file, kind: 'directory' }];
  } catch {
    return []; // does not exist
  }
  try {
    accessSync(file, constants.X_OK);
    return [{ file, kind: 'executable' }];
  } catch {
    return [{ file, kind: 'not-executable' }];
  }
}
