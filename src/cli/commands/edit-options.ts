// The options of commands that change a config.

import type { Command } from 'commander';

export interface EditOptions {
  user?: boolean;
  force?: boolean;
  dryRun?: boolean;
}

export function addEditOptions(command: Command, { force }: { force?: boolean } = {}): Command {
  command.option('--user', 'change the config of the user: ~/.config/standpipe/mcp.json');
  if (force) command.option('--force', 'replace a server of the same name');
  return command.option('--dry-run', 'show the difference and write nothing');
}
