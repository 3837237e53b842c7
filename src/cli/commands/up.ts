// `standpipe up`: runs the servers of the config until Ctrl-C, which is the usual end, with exit code 0.

import { UsageError } from '../../base/errors.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import type { UpOptions } from '../up/run-host.ts';
import { examples, readPort } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .option('--no-watch', 'do not watch the config for changes')
    .option('--no-inspector', 'do not start the Inspector')
    .option('--open', 'open the Inspector in a browser')
    .option('--inspector-port <number>', 'first port to try for the Inspector', readPort)
    .option('--http <[host:]port>', 'serve the servers to MCP clients over HTTP: /mcp all of them, /mcp/<server> one')
    .option(
      '--tokens <file>',
      'tokens of the clients over HTTP (default: those of `standpipe token`, if there are any)',
    );
  command.addHelpText(
    'after',
    `
Other commands find the running host by its config and use its servers. A change of the config starts, stops or
restarts only the servers it concerns.`,
  );
  examples(command, 'up', 'up --config examples/mcp.json', 'up --http 8080', 'up --json | jq .');
  command.action(run(up));
};

const up: CommandBody = async (invocation, _words, options) => {
  if (invocation.serverCommand) {
    throw new UsageError('NOT_SUPPORTED', 'up runs the servers of a config, not a command', {
      hint: 'Write an mcp.json, or use `standpipe call … -- <command …>`.',
    });
  }
  const { runHost } = await import('../up/run-host.ts');
  await runHost(invocation, options as unknown as UpOptions);
  return ExitCode.done;
};
