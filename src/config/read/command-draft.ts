// Reads an entry of a server that is started as a command.

import { nearest } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import { type CommandConfig, defaultCommandSettings as defaults, type ServerSettings } from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { readKeys } from './key.ts';
import { commandKeys, settingKeys } from './keys.ts';

export interface CommandDraft {
  /** Members that need no expansion. */
  literal: Omit<CommandConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;
  command: Located;
  args: readonly Located[];
  /** Null removes a variable, even one of the `envFile`. */
  env: ReadonlyMap<string, Located | null>;
  envFile: Located | undefined;
  cwd: Located | undefined;
  url?: undefined;
}

export function readCommandDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  findings: Findings,
): CommandDraft | undefined {
  if (!fields.has('command')) {
    findings.error(fields.at, 'There is no "command" and no "url"', likelyCommand(fields));
  }
  const { command, args = [], env = new Map(), envFile, cwd, ...given } = readKeys(fields, commandKeys);
  if (!command || findings.failed) return undefined;
  warnOfLikelyMistakes({ command, args, cwd, envFile }, fields.has('args'), findings);
  const { protocol, framing, stop, keepDaemons } = { ...defaults, ...given };
  return { literal: { ...settings, protocol, framing, stop, keepDaemons }, command, args, env, envFile, cwd };
}

/** Suggestion for an entry without a command and a URL. */
function likelyCommand(fields: Fields): string {
  const known = { ...settingKeys, ...commandKeys };
  const others = fields.keys().filter((key) => !Object.hasOwn(known, key));
  const meant = others.find((key) => /^(?:cmd|exec|executable|program|run)$/i.test(key)) ?? nearest('command', others);
  if (meant) return `Did you mean "command" instead of "${meant}"?`;
  const address = nearest('url', others);
  return address ? `Did you mean "url" instead of "${address}"?` : 'Write "command": "…", or "url": "https://…".';
}

/** Warns about valid values that are probably mistakes: they work only in a shell or in another host. */
function warnOfLikelyMistakes(
  { command, args, cwd, envFile }: Pick<CommandDraft, 'command' | 'args' | 'cwd' | 'envFile'>,
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
