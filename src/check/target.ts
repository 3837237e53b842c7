// The command of a program under test.

import { commandLine } from '../base/command-line.ts';
import { maskValues } from '../base/secrets/mask-values.ts';
import { redactArguments, secretsInArguments } from '../base/secrets/redact-arguments.ts';

export interface Target {
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Further values to mask in reports. */
  secrets?: readonly string[];
  cwd?: string;
  /** How long the rest of the process tree may run after the process has exited by itself. */
  stragglersMs?: number;
}

export function targetOf({ command, args, env, secrets, cwd }: Target): Target {
  return {
    command,
    ...(args && { args }),
    ...(env && { env }),
    ...(secrets && { secrets }),
    ...(cwd && { cwd }),
  };
}

/** The command line, with secrets masked. */
export function shownCommand({ command, args = [], env, secrets = [] }: Target): string {
  const mask = maskValues(env, [...secrets, ...secretsInArguments(args)]);
  return commandLine(mask(command), redactArguments(args, mask));
}
