// Finds a command like the operating system: in the child's PATH, or by its path. On Windows it applies the extensions of PATHEXT and never
// searches the current folder unless PATH names it, because a file there may come from anyone.

import { readVariable } from './environment.ts';
import { interpreterOf } from './first-line.ts';
import { pathModuleOf, realSystem, type Surroundings, type System } from './system.ts';

export interface FoundCommand {
  file: string;
  kind: 'executable' | 'not-executable' | 'directory';
}

export function isPath(command: string, platform: NodeJS.Platform = process.platform): boolean {
  return command.includes('/') || (platform === 'win32' && (command.includes('\\') || /^[a-z]:/i.test(command)));
}

/** The first executable, else the first file or folder with that name, else undefined. */
export function findCommand(
  command: string,
  surroundings: Surroundings,
  system: System = realSystem,
): FoundCommand | undefined {
  const { platform } = system;
  const { resolve } = pathModuleOf(system);
  const { environment, cwd } = surroundings;
  const folders = isPath(command, platform)
    ? ['']
    : foldersIn(readVariable(environment, 'PATH', platform) ?? '', platform);
  const files = folders.map((folder) => resolve(cwd, folder, command));
  let first: FoundCommand | undefined;
  for (const file of platform === 'win32' ? windowsNames(files, environment) : files) {
    const found = inspect(file, environment, system);
    if (found?.kind === 'executable') return found;
    first ??= found;
  }
  return first;
}

/** An empty entry means the current folder, except on Windows, where entries may also be quoted. */
function foldersIn(searchPath: string, platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') return searchPath.split(':');
  const folders = searchPath.match(/(?:"[^"]*"|[^;"])+/g) ?? [];
  return folders.map((folder) => folder.replaceAll('"', '').trim()).filter((folder) => folder !== '');
}

const USUAL_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

/**
 * Extensions of executable files on Windows, in lower case. The extensions of programs and batch files are always
 * included.
 */
function extensionsIn(environment: Surroundings['environment']): string[] {
  const listed = (readVariable(environment, 'PATHEXT', 'win32') || USUAL_EXTENSIONS).toLowerCase().split(';');
  return [...new Set([...listed, ...USUAL_EXTENSIONS.toLowerCase().split(';')])].filter((one) => one.startsWith('.'));
}

/** Names without an extension come last: `npx` is a POSIX script, which may be in a different folder than `npx.cmd`. */
function windowsNames(files: readonly string[], environment: Surroundings['environment']): string[] {
  const withExtension = (file: string) => extensionsIn(environment).map((extension) => file + extension);
  const isComplete = files.some((file) => /\.[^\\/.]*$/.test(file));
  return isComplete
    ? files.flatMap((file) => [file, ...withExtension(file)])
    : [...files.flatMap(withExtension), ...files];
}

function inspect(file: string, environment: Surroundings['environment'], system: System): FoundCommand | undefined {
  const kind = system.kindOf(file);
  if (kind === undefined) return undefined;
  if (kind === 'folder') return { file, kind: 'directory' };
  const executable =
    system.platform === 'win32'
      ? extensionsIn(environment).some((extension) => file.toLowerCase().endsWith(extension)) ||
        interpreterOf(file, system)
      : system.mayExecute(file);
  return { file, kind: executable ? 'executable' : 'not-executable' };
}
