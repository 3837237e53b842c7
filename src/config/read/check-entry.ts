// Checks whether the program, folder and certificates of an entry exist. They may be created later and PATH may change, so these are
// warnings, shown by `standpipe config`. Messages never contain the value of a variable.

import { existsSync, statSync } from 'node:fs';
import { childEnvironment } from '../../wire/process/launch/environment.ts';
import { findCommand, isPath } from '../../wire/process/launch/find-command.ts';
import type { Findings } from '../problem.ts';
import type { CommandConfig, ServerConfig } from '../server-config.ts';
import type { CommandDraft, Draft } from './draft.ts';

export type CheckEntry = (draft: Draft, server: ServerConfig, findings: Findings) => void;

export const checkOnSystem: CheckEntry = (draft, server, findings) => {
  if (draft.command && server.command !== undefined) checkCommand(draft, server, findings);
  const ca = draft.url && draft.ca;
  if (ca && server.url !== undefined && !existsSync(server.ca!)) {
    findings.warn(ca.at, `The file "${ca.text}" does not exist`, 'Correct "ca", or create the file.');
  }
};

function checkCommand(draft: CommandDraft, { command, cwd, env }: CommandConfig, findings: Findings): void {
  const folder = faultOfFolder(cwd);
  if (folder) {
    const message = `The folder "${draft.cwd?.text ?? cwd}" ${folder}`;
    return findings.warn(draft.cwd?.at ?? draft.literal.source, message, 'Correct "cwd", or create the folder.');
  }
  // A command of several words has another warning and may begin with a secret. Windows folder names may contain spaces.
  if (/[\s=]/.test(draft.command.text) && !(process.platform === 'win32' && isPath(command))) return;
  const found = findCommand(command, { environment: childEnvironment(env), cwd });
  if (found?.kind === 'executable') return;
  const { text, at } = draft.command;
  if (found?.kind === 'directory') findings.warn(at, `The command "${text}" is a folder`);
  else if (found && process.platform === 'win32')
    findings.warn(at, `The command "${text}" is not a program`, 'Use its interpreter as the command.');
  else if (found) findings.warn(at, `The command "${text}" is not executable`, 'Run chmod +x on it.');
  else if (isPath(command)) {
    const suggestion = 'A relative path is resolved against the working folder of the server.';
    findings.warn(at, `The file "${text}" does not exist`, suggestion);
  } else {
    findings.warn(at, `The command "${text}" is not in any folder of PATH`, 'Install it, or use its absolute path.');
  }
}

function faultOfFolder(folder: string): string | undefined {
  try {
    return statSync(folder).isDirectory() ? undefined : 'is not a folder';
  } catch {
    return 'does not exist'; // a folder that is not accessible also prevents a start
  }
}
