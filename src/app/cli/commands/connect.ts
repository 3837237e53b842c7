// Help of `standpipe connect`. main.ts starts the command itself.

import { Option } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { remoteTransports, shareModes } from '../../../config/server-config.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { examples, withoutCommonOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] <server> | <url> | --all | -- <command …>')
    .argument('[server]', 'name in the config, or URL')
    .option('--config <file>', 'use only this config file')
    .option('--all', 'serve all servers of the config as one')
    .option('--name <name>', 'name of the command or the URL in lists and logs')
    .option('--header <name: value>', 'HTTP header; ${VAR} in it is expanded; repeatable')
    .addOption(new Option('--transport <name>', 'HTTP transport').choices(remoteTransports))
    .option('--env <name>', 'variable to pass on to the command; repeatable')
    .option('--cwd <folder>', 'working folder of the command')
    .addOption(new Option('--share <by>', 'clients that share a process (default: all)').choices(shareModes))
    .option('--idle <time>', 'end the started host after this time without clients (default: 10m)');
  command.addHelpText(
    'after',
    `
Use it as the command in the config of an MCP host: all windows then use one
process. If no host runs for the config, connect starts one in the background,
and each server starts at its first use. A command or a URL works without a
config: clients with the same command, arguments, variables and folder share
one process.`,
  );
  examples(
    command,
    'connect weather --config ~/mcp.json',
    'connect --all --config ~/mcp.json --idle 1h',
    'down --config ~/mcp.json',
    'connect -- npx -y some-server',
    "connect https://example.com/mcp --header 'X-Key: ${KEY}'",
    'ls --shared',
  );
  withoutCommonOptions(command);
  command.action(run(misplaced));
};

const misplaced: CommandBody = async () => {
  throw new UsageError('INVALID_OPTION', 'connect must be the first word', {
    hint: `Put the options after it: ${ownCommand} connect weather --config FILE`,
  });
};
