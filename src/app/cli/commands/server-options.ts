// The options for a server after `--` or a remote server, for all commands that can use one.

import { type Command, Option } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { remoteTransports } from '../../../config/server-config.ts';
import { erasOfMcp, revisionsOfMcp } from '../../../mcp/revisions.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';

const GROUP = 'Options for a server given as a URL or after --:';

/** The last options of a command, or followed by those of a fleet. */
export function addServerOptions(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option('--env <name=value>', 'variable for its environment; NAME alone passes it on; repeatable', collect)
    .option('--cwd <folder>', 'working folder')
    .addOption(new Option('--litemcp', 'the protocol is LiteMCP, not MCP').implies({ protocol: 'litemcp' }))
    .addOption(new Option('--protocol <name>').choices(['mcp', 'litemcp']).hideHelp())
    .option('--framing <name>', 'message framing (default: newline)')
    .addOption(new Option('--era <name>', 'MCP era').choices(['auto', ...erasOfMcp]))
    .addOption(new Option('--revision <date>', 'use only this MCP revision').choices(revisionsOfMcp));
}

/** In addition, for commands that can use a server that is not started. A first word that is a URL counts as `--url`. */
export function addAddressOptions(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option('--url <url>', 'use the remote server at this URL')
    .option('--header <name: value>', 'HTTP header; ${VAR} in it is expanded; repeatable', collect)
    .addOption(new Option('--transport <name>', 'HTTP transport').choices(remoteTransports));
}

export function serverOptions(options: Record<string, unknown>): ServerCommandOptions & FleetOptions {
  return options as ServerCommandOptions & FleetOptions;
}

/** Each subcommand shows those that are for it: subcommands are defined before. */
export function examples(command: Command, ...lines: string[]): void {
  addExamples(command, lines);
  for (const child of command.commands) {
    const name = `${command.name()} ${child.name()}`;
    addExamples(
      child,
      lines.filter((line) => `${line} `.startsWith(`${name} `)),
    );
  }
}

function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${ownCommand} ${line}`).join('\n')}`);
}

/** For a command that parses its own command line. Its subcommands take the common options: they are defined before. */
export function withoutCommonOptions(command: Command): void {
  command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new UsageError('INVALID_OPTION', `"${text}" is not a port`, { hint: 'A port is an integer from 0 to 65535.' });
}

export const countOf =
  (option: string) =>
  (text: string): number => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new UsageError('INVALID_OPTION', `${option} cannot be "${text}"`, { hint: 'Write an integer above 0.' });
  };

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
