// The options for a server after `--` or a remote server, for all commands that can use one.

import { type Command, Option } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { remoteTransports } from '../../config/server-config.ts';
import { erasOfMcp, revisionsOfMcp } from '../../mcp/revisions.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';

export function addServerOptions(command: Command): Command {
  return command
    .option('--env <name=value>', 'environment variable for the server after --; repeatable', collect)
    .option('--cwd <folder>', 'working folder of the server after --')
    .addOption(new Option('--protocol <name>', 'protocol of the server after --').choices(['mcp', 'litemcp']))
    .option('--framing <name>', 'message framing used by the server after --')
    .addOption(
      new Option('--era <name>', 'MCP era of the server after --, or at the URL').choices(['auto', ...erasOfMcp]),
    )
    .addOption(new Option('--revision <date>', 'the only MCP revision to use with it').choices(revisionsOfMcp));
}

/** In addition, for commands that can use a server that is not started. A first word that is a URL counts as `--url`. */
export function addAddressOptions(command: Command): Command {
  return command
    .option('--url <address>', 'use the remote server at this address: https://…')
    .option('--header <name: value>', 'header for --url; ${VAR} in it is expanded; repeatable', collect)
    .addOption(
      new Option('--transport <name>', 'how --url is reached: Streamable HTTP, HTTP+SSE, or either').choices(
        remoteTransports,
      ),
    );
}

export function serverOptions(options: Record<string, unknown>): ServerCommandOptions & FleetOptions {
  return options as ServerCommandOptions & FleetOptions;
}

export function examples(command: Command, ...lines: string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ standpipe ${line}`).join('\n')}`);
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new UsageError('INVALID_OPTION', `"${text}" is not a port`, { hint: 'A port is an integer from 0 to 65535.' });
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError('INVALID_OPTION', `"${text}" is not an integer above 0`, { hint: 'Write digits only.' });
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
