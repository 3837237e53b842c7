// `standpipe share install|uninstall`: rewrites the config of an MCP host so that its windows share one process of each server.

import { ownCommand } from '../../../base/own-command.ts';
import type { Fields } from '../../../config/read/fields.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { tellWrapped } from '../output/wrapped.ts';
import { addHostConfig, changeHostConfig, hostNames, withWarningOfCommand } from '../wrap/host-config.ts';
import { wrapperCommand } from '../wrap/wrapper-command.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.usage('install|uninstall [options] <host> [server…]');
  command.addHelpText(
    'after',
    `
Prefixes commands with \`${ownCommand} connect --\`. Entries with the same command,
arguments, variables and folder then use one process, in all programs.
\`${ownCommand} ls --shared\` lists these processes.
${hostNames}`,
  );
  const installing = command
    .command('install')
    .description('share the servers of a host; keeps a backup of its config');
  addHostConfig(installing).action(run(install));
  const uninstalling = command.command('uninstall').description('restore the config');
  addHostConfig(uninstalling).action(run(uninstall));
  examples(
    command,
    'share install cursor',
    'share install cursor --dry-run',
    'share install .vscode/mcp.json weather',
    'share uninstall cursor',
    'ls --shared',
    'down --shared',
  );
};

const install: CommandBody = async (invocation, words, options) => {
  const { wrapServers } = await import('../../../config/wrap/wrap-servers.ts');
  const wrapped = await changeHostConfig(words, options, ({ file, ...target }) =>
    wrapServers(file, { ...target, wrapper: 'connect', words: connectWords, refuse: unknownVariables }),
  );
  return tellWrapped(invocation, withWarningOfCommand(wrapped), { done: 'shared', already: 'already shared' });
};

const uninstall: CommandBody = async (invocation, words, options) => {
  const { unwrapServers } = await import('../../../config/wrap/wrap-servers.ts');
  const wrapped = await changeHostConfig(words, options, ({ file, ...target }) =>
    unwrapServers(file, { ...target, wrapper: 'connect' }),
  );
  return tellWrapped(invocation, wrapped, { done: 'no longer shared', already: 'not shared' });
};

/** The host sets the variables of `env` after it has expanded its inputs and references, so only the names are written. */
function connectWords(name: string, fields: Fields): string[] {
  const variables = fields.object('env')?.keys() ?? [];
  const words = [...wrapperCommand('connect'), '--name', name];
  return variables.length > 0 ? [...words, '--env', variables.join(',')] : words;
}

/** Servers with different variables must not share a process, so all variables must be known. */
function unknownVariables(fields: Fields): string | undefined {
  return fields.has('envFile')
    ? 'has variables from an envFile, which only its host reads (set them in "env")'
    : undefined;
}
