// Writes `npx standpipe …` for `standpipe …` in messages if this program was started by npx: such a user has no `standpipe` in PATH.

import { commandTable } from '../command-table.ts';

const words = ['--help', '--version', 'help', ...Object.keys(commandTable)].join('|');
/** Not a path, an address, a name in a sentence such as `standpipe tap: …`, or a command that begins with npx already. */
const command = new RegExp(String.raw`(?<![\w./@:-]|npx )standpipe(?= (?:${words})(?![\w:-]))`, 'g');

/** npm and compatible programs set the variable for commands of `npx` and of scripts. */
export function asCalled(text: string, env: NodeJS.ProcessEnv): string {
  return env.npm_command === undefined ? text : text.replace(command, 'npx standpipe');
}
