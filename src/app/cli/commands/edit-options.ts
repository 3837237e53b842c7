// Options of the commands that change a config.

import { type Command, Option } from 'commander';
import { type SecretHandling, secretHandlings } from '../../../config/edit/written-secrets.ts';

export interface EditOptions {
  user?: boolean;
  force?: boolean;
  dryRun?: boolean;
  secrets?: SecretHandling;
}

/** For commands that copy servers from one file to another. */
export function addSecretsOption(command: Command): Command {
  const option = new Option('--secrets <how>', 'write secrets as references, or copy them to any file');
  return command.addOption(option.choices(secretHandlings));
}

export function addEditOptions(command: Command, { force }: { force?: boolean } = {}): Command {
  command.option('--user', 'change the user config: ~/.config/standpipe/mcp.json');
  if (force) command.option('--force', 'replace a server of the same name');
  return command.option('--dry-run', 'show the difference and write nothing');
}
