// An entry of a server that is started as a command.

import { nearest } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import { type CommandConfig, defaultCommandSettings as defaults, type ServerSettings } from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { readKeys } from './key.ts';
import { commandKeys, settingKeys } from './keys.ts';
import { warnOfLikelyMistakes } from './likely-mistakes.ts';

export interface CommandDraft {
  /** Members that need no expansion. */
  literal: Omit<CommandConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;
  command: Located;
  args: readonly Located[];
  /** Null: not set, even if it is in the `envFile`. */
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

/** A suggestion for an entry that has neither a command nor an address. */
function likelyCommand(fields: Fields): string {
  const known = { ...settingKeys, ...commandKeys };
  const others = fields.keys().filter((key) => !Object.hasOwn(known, key));
  const meant = others.find((key) => /^(?:cmd|exec|executable|program|run)$/i.test(key)) ?? nearest('command', others);
  if (meant) return `Did you mean "command" instead of "${meant}"?`;
  const address = nearest('url', others);
  return address ? `Did you mean "url" instead of "${address}"?` : 'Write "command": "…", or "url": "https://…".';
}
