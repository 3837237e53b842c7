// `standpipe connect`: its help. The command itself is started by main.ts.

import { UsageError } from '../../base/errors.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage(
      '<server> | --all [--config FILE] [options], or connect <url> [options], or connect [options] -- <command …>',
    )
    .argument('[server]', 'its name in the config, or its URL')
    .option('--all', 'all servers of the config as one')
    .option('--name <name>', 'name of the command after -- or of the URL, in lists and logs')
    .option('--header <name: value>', 'header for the URL; ${VAR} in it is expanded; repeatable')
    .option('--transport <name>', 'how the URL is reached: http, sse or auto (default: auto)')
    .option('--env <names>', 'variables of this process that the command after -- gets: NAME,NAME')
    .option('--cwd <folder>', 'working folder of the command after -- (default: the current one)')
    .option(
      '--share <by>',
      'who shares a process of the command after --, or a connection to the URL: all, principal, client or call (default: all)',
    )
    .option('--idle <duration>', 'how long a host that is started for this stays without clients (default: 10m)');
  command.addHelpText(
    'after',
    `
Write it into the config of an MCP host in place of the server's command: all windows then use one process. Where no host
runs for the config, one is started in the background, with a server started at its first use.
A command after -- needs no config: clients with the same command, arguments, variables and folder share one process of it.
A URL needs none either: programs that can only start commands reach a remote server so.`,
  );
  examples(
    command,
    'connect weather --config ~/mcp.json',
    'connect --all --config ~/mcp.json --idle 1h',
    'down --config ~/mcp.json',
    'connect -- npx -y some-server',
    "connect https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
    'ls --shared',
  );
  command.action(run(misplaced));
};

const misplaced: CommandBody = async () => {
  throw new UsageError('INVALID_OPTION', 'connect must be the first word', {
    hint: 'Put the options after it: standpipe connect weather --config FILE',
  });
};
