// Options for a server given after `--` or by URL, shared by the commands that accept one.

import { type Command, Option } from 'commander';
import { ownCommand } from '../../../base/own-command.ts';
import { remoteTransports } from '../../../config/server-config.ts';
import { erasOfMcp, revisionsOfMcp } from '../../../mcp/revisions.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import { invalidOption } from '../invocation.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';

const GROUP = 'Options for a server given as a URL or after --:';

/** Call this after the command's own options: it starts an options group of the help. */
export function addServerOptions(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option('--env <name=value>', 'set a variable; NAME alone passes it on; repeatable', collect)
    .option('--cwd <folder>', 'working folder')
    .addOption(new Option('--litemcp', 'use LiteMCP instead of MCP').implies({ protocol: 'litemcp' }))
    .addOption(new Option('--protocol <name>').choices(['mcp', 'litemcp']).hideHelp())
    .option('--framing <name>', 'message framing (default: newline)')
    .addOption(new Option('--era <name>', 'MCP era').choices(['auto', ...erasOfMcp]))
    .addOption(new Option('--revision <date>', 'use only this MCP revision').choices(revisionsOfMcp));
}

/** Options for a remote server. A URL as the first word counts as `--url`. */
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

/** Adds a text and examples to the help. */
export function help(command: Command, text: string, ...lines: string[]): void {
  command.addHelpText('after', `\n${text}`);
  examples(command, ...lines);
}

/** A subcommand shows the lines that begin with its name, so define subcommands first. */
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

/** Hides the common options of a command that parses its own command line. Subcommands defined earlier still show them. */
export function withoutCommonOptions(command: Command): void {
  command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw invalidOption(`"${text}" is not a port`, 'A port is an integer from 0 to 65535.');
}

export const countOf =
  (option: string) =>
  (text: string): number => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw invalidOption(`${option} cannot be "${text}"`, 'Write an integer above 0.');
  };

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
