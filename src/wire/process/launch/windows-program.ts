// Resolves a command to the program and command line that Windows needs. Windows starts only .exe and .com files: cmd.exe runs batch files,
// and scripts need the interpreter of their first line. cmd.exe is avoided if possible (batch-shim.ts), because it parses the arguments,
// and the server would be its child instead of ours. Paths are absolute: CreateProcess would search the current folder of this process
// first.

import { batchLine } from './batch-line.ts';
import { readShim } from './batch-shim.ts';
import { withVariables } from './environment.ts';
import { findCommand } from './find-command.ts';
import { interpreterOf } from './first-line.ts';
import { realSystem, type Surroundings, type System } from './system.ts';

export interface Program {
  file: string;
  args: readonly string[];
  /** The environment of the program. Default: the environment of the command. */
  environment?: Readonly<Record<string, string>>;
  /** True if the arguments are a finished command line. */
  isVerbatim?: boolean;
}

/** Recursion limit. A shim may start another shim, and a script's interpreter may be a batch file. */
const MOST_STEPS = 8;

/** Rejects with a system error (ENOENT, EACCES), or with UsageError for arguments that cannot be passed. */
export async function windowsProgram(
  command: string,
  args: readonly string[],
  surroundings: Surroundings & { environment: Readonly<Record<string, string>> },
  system: System = realSystem,
  steps = 0,
): Promise<Program> {
  const { environment } = surroundings;
  const found = findCommand(command, surroundings, system);
  if (!found || steps > MOST_STEPS) throw systemError('ENOENT', command);
  if (found.kind !== 'executable') throw systemError('EACCES', command);
  const { file } = found;
  const next = (command: string, args: readonly string[], within = environment) =>
    windowsProgram(command, args, { ...surroundings, environment: within }, system, steps + 1);

  if (/\.(?:exe|com)$/i.test(file)) return { file, args, environment };
  const isBatch = /\.(?:cmd|bat)$/i.test(file);
  if (isBatch) {
    const target = await readShim(file, surroundings, system);
    if (target)
      return next(target.command, [...target.args, ...args], withVariables(environment, target.variables, 'win32'));
  } else {
    const interpreter = interpreterOf(file, system);
    if (interpreter) {
      const [program, ...options] = interpreter;
      const isHere = findCommand(program, surroundings, system) !== undefined;
      return next(isHere ? program : program.replace(/^.*[\\/]/, ''), [...options, file, ...args]);
    }
  }
  // Also used for other extensions of PATHEXT: cmd.exe knows which programs open them.
  const line = batchLine(file, args, isBatch ? system.start(file) : '');
  return { file: system.commandProcessor, args: line, environment, isVerbatim: true };
}

function systemError(code: 'ENOENT' | 'EACCES', command: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`spawn ${command} ${code}`), { code, syscall: 'spawn', path: command });
}
