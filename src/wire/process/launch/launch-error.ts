// Explains why a command could not be started: which command, where it was searched, what to change. Inspects the file system
// after the failure, because the system error is often only ENOENT.

import { accessSync, constants, statSync } from 'node:fs';
import { shellWord } from '../../../base/command-line.ts';
import { ProcessError, type StandpipeError, UsageError } from '../../../base/errors.ts';
import type { Mask } from '../../../base/secrets/mask-values.ts';
import { readVariable } from './environment.ts';
import { findCommand, isPath } from './find-command.ts';
import { interpreterOf } from './first-line.ts';
import { pathModuleOf, realSystem, type Surroundings, type System } from './system.ts';

export interface Launch {
  command: string;
  cwd: string | undefined;
  environment: Readonly<Record<string, string>>;
  /** The command line, masked for display. */
  commandLine: string;
  mask: Mask;
}

export function launchError(thrown: unknown, launch: Launch, system: System = realSystem): StandpipeError {
  if (thrown instanceof UsageError) return argumentError(thrown, launch);
  const { mask, command } = launch;
  const { platform } = system;
  const cause = masked(thrown as NodeJS.ErrnoException, mask);
  const details = (hint: string) => ({
    hint: mask(hint),
    evidence: { phase: 'spawn' as const, command: launch.commandLine },
    cause,
  });

  // Node.js refuses, for example, a NUL character in an argument before the spawn.
  if (cause.code?.startsWith('ERR_INVALID_ARG')) {
    const hint = 'Check command, args, env and cwd of the server: they must be strings without NUL characters.';
    return new UsageError('INVALID_OPTION', mask(`Cannot start ${quoted(command)}: ${cause.message}`), details(hint));
  }
  const cwdFault = launch.cwd === undefined ? undefined : faultOfFolder(launch.cwd);
  if (cwdFault) {
    const message = `Cannot start ${quoted(command)}: its working folder ${quoted(launch.cwd!)} ${cwdFault}.`;
    return new ProcessError('CWD_NOT_FOUND', mask(message), details('Correct "cwd", or create the folder.'));
  }
  const { environment, cwd = '.' } = launch;
  const surroundings = { environment, cwd };
  const found = findCommand(command, surroundings, system);
  const searched = ` PATH is ${readVariable(environment, 'PATH', platform) || 'empty'}`;

  if ((cause.code === 'ENOENT' || cause.code === 'EACCES') && !found) {
    const byPath = isPath(command, platform);
    const where = byPath
      ? `there is no file ${pathModuleOf(system).resolve(cwd, command)}`
      : 'it is not in any folder of PATH';
    const hint = whereToLook(command, surroundings, system) + (byPath ? '' : searched);
    const message = `Cannot find the command ${quoted(command)}: ${where}.`;
    return new ProcessError('COMMAND_NOT_FOUND', mask(message), details(hint));
  }
  if (cause.code === 'EACCES' && found && found.kind !== 'executable') {
    const folder = found.kind === 'directory';
    const fault = folder ? 'a folder' : platform === 'win32' ? 'not a program' : 'not executable';
    const message = `Cannot run the command ${quoted(command)}: ${found.file} is ${fault}.`;
    const change = platform === 'win32' ? 'Start it' : `chmod +x ${shellWord(found.file)}, or start it`;
    const hint = folder ? 'Use the path of the program inside the folder.' : `${change} with its interpreter.`;
    return new ProcessError('COMMAND_NOT_EXECUTABLE', mask(message), details(hint));
  }
  // On Windows, this program searches for a script's interpreter and for a batch file's program, so the missing one is
  // known.
  const { path: missing = command } = thrown as NodeJS.ErrnoException;
  if (found && missing !== command) {
    const message = `Cannot run ${found.file}: it starts the program ${quoted(missing)}, which is not found.`;
    return new ProcessError(
      'COMMAND_NOT_FOUND',
      mask(message),
      details(whereToLook(missing, surroundings, system) + searched),
    );
  }
  const interpreter = found && cause.code === 'ENOENT' ? interpreterOf(found.file, system)?.[0] : undefined;
  if (found && interpreter) {
    const message = `Cannot run ${found.file}: its first line names the interpreter ${quoted(interpreter)}, which does not exist.`;
    const hint = 'Install the interpreter, or correct the first line of the script (it may end with a CR).';
    return new ProcessError('COMMAND_NOT_FOUND', mask(message), details(hint));
  }
  const message = `Cannot start ${quoted(command)}: ${cause.message}`;
  return new ProcessError('SPAWN_FAILED', mask(message), details(hintFor(cause.code)));
}

/** The error for arguments that Windows cannot pass. The message names the file and the position of the argument. */
function argumentError({ code, message, hint }: UsageError, { mask, commandLine }: Launch): UsageError {
  return new UsageError(code, mask(message), { hint: hint!, evidence: { phase: 'spawn', command: commandLine } });
}

/** Errors of Node.js contain the arguments (`spawnargs`), and a cause is printed with all its members. */
function masked(error: NodeJS.ErrnoException, mask: Mask): NodeJS.ErrnoException {
  const { code, errno, syscall } = error;
  return Object.assign(new Error(mask(error.message)), { code, errno, syscall: syscall && mask(syscall) });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function faultOfFolder(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return 'is not a folder';
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'is not accessible' : 'does not exist';
  }
}

/** Other names under which a program is often installed. */
const otherNames: Readonly<Record<string, string[]>> = {
  python: ['python3'],
  python3: ['python'],
  pip: ['pip3'],
  node: ['nodejs'],
  nodejs: ['node'],
};

const installers: Readonly<Record<string, string>> = {
  node: 'Node.js',
  npm: 'Node.js',
  npx: 'Node.js',
  uv: 'uv (https://docs.astral.sh/uv/)',
  uvx: 'uv (https://docs.astral.sh/uv/)',
  python: 'Python',
  python3: 'Python',
  docker: 'Docker',
  deno: 'Deno',
  bun: 'Bun',
  bunx: 'Bun',
};

function whereToLook(command: string, surroundings: Surroundings, system: System): string {
  const isProgram = (name: string) => findCommand(name, surroundings, system)?.kind === 'executable';
  if (command.startsWith('~')) return 'No shell is involved, so ~ is not expanded: use the absolute path.';
  const firstWord = command.trim().split(/\s+/)[0]!;
  if (firstWord !== command && isProgram(firstWord)) {
    return `"command" is only the program (${quoted(firstWord)}); put the rest in "args".`;
  }
  if (isPath(command, system.platform))
    return 'Correct the path. A relative path is resolved against the working folder of the server.';
  const other = otherNames[command]?.find(isProgram);
  if (other) return `${quoted(other)} exists: use it as the command.`;
  if (command === 'node') return `Use the absolute path; the Node.js that runs this program is ${process.execPath}.`;
  const install = installers[command] ? `Install ${installers[command]}, or` : 'Install it, or';
  // In PowerShell, `where` is a different command.
  const find = system.platform === 'win32' ? `where.exe ${command}` : `which ${command}`;
  return `${install} use the absolute path that \`${find}\` prints in a terminal: programs started from a desktop get a shorter PATH.`;
}

function hintFor(code: string | undefined): string {
  switch (code) {
    case 'E2BIG':
      return 'The arguments and the environment are too long together: pass large values in a file.';
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many open files: raise the limit (ulimit -n) or start fewer servers.';
    case 'EAGAIN':
    case 'ENOMEM':
      return 'The system is out of processes or memory: stop other processes, or raise the limit (ulimit -u).';
    case 'ENOEXEC':
      return 'The file is not a program for this machine, or a script without a first line such as #!/usr/bin/env node.';
    default:
      return 'Try the same command in a terminal.';
  }
}
