// Warnings about values that are valid and probably a mistake: they work only in a shell or in another host.

import type { Findings } from '../problem.ts';
import type { Located } from './fields.ts';

interface Texts {
  command: Located;
  args: readonly Located[];
  cwd: Located | undefined;
  envFile: Located | undefined;
}

export function warnOfLikelyMistakes(
  { command, args, cwd, envFile }: Texts,
  hasArgs: boolean,
  findings: Findings,
): void {
  for (const { text, at } of [command, ...args, ...(cwd ? [cwd] : []), ...(envFile ? [envFile] : [])]) {
    if (/^~[\\/]/.test(text)) {
      findings.warn(at, 'No shell is used: ~ is not expanded', 'Write ${userHome} instead of ~.');
    }
    // In JSON, the \t of "C:\tools" is a tab.
    if (/^[A-Za-z]:[\s\S]*[\b\f\n\r\t]/.test(text)) {
      findings.warn(at, 'This path contains a control character', 'Write Windows paths with / or with \\\\.');
    }
  }
  // The command is not quoted in the message: it may begin with a secret, as in `TOKEN=… node server.js`.
  if (!hasArgs && /^[^\s\\/]+\s+\S/.test(command.text)) {
    const suggestion = 'Write only the program; put its arguments in "args", one string each.';
    findings.warn(command.at, 'No shell is used: all of "command" is the name of one program', suggestion);
  }
}
