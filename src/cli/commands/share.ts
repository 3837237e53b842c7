// `standpipe share install|uninstall`: rewrites the config of an MCP host, so that its windows share one process of each server.

import type { Fields } from '../../config/read/fields.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { named, tellWrapped, wrapperCommand } from '../output/wrapped.ts';
import { examples } from './server-options.ts';

const shares = { wrapper: 'connect', backup: 'share' } as const;

export const define: CommandModule['define'] = (command, run) => {
  command.usage('install|uninstall <config> [server…]');
  command.addHelpText(
    'after',
    `
The command of each server is put behind \`standpipe connect --\`. Windows and programs whose entries have the same command,
arguments, variables and folder then use one process, which \`standpipe ls --shared\` shows.`,
  );
  examples(
    command,
    'share install ~/.cursor/mcp.json',
    'share install .vscode/mcp.json weather',
    'share uninstall ~/.cursor/mcp.json',
    'ls --shared',
    'down --shared',
  );
  command
    .command('install')
    .description('let the windows of a host share its servers; a backup is kept next to the config')
    .argument('<config>')
    .argument('[server...]', 'servers; default: all')
    .action(run(install));
  command
    .command('uninstall')
    .description('let each window start its own servers again')
    .argument('<config>')
    .argument('[server...]', 'servers; default: all')
    .action(run(uninstall));
};

const install: CommandBody = async (invocation, [config, ...servers]) => {
  const { wrapServers } = await import('../../config/wrap/wrap-servers.ts');
  const result = await wrapServers(config!, {
    ...shares,
    ...named(servers),
    words: connectWords,
    refuse: unknownVariables,
  });
  return tellWrapped(invocation, result, { done: 'shared', already: 'already shared' });
};

const uninstall: CommandBody = async (invocation, [config, ...servers]) => {
  const { unwrapServers } = await import('../../config/wrap/wrap-servers.ts');
  const result = await unwrapServers(config!, { ...shares, ...named(servers) });
  return tellWrapped(invocation, result, { done: 'no longer shared', already: 'not shared' });
};

/** The host sets the variables of `env`, after its own inputs and references were replaced: only their names are written. */
function connectWords(name: string, fields: Fields): string[] {
  const variables = fields.object('env')?.keys() ?? [];
  const words = [...wrapperCommand('connect'), '--name', name];
  return variables.length > 0 ? [...words, '--env', variables.join(',')] : words;
}

/** Which variables a server gets must be known, to tell apart servers that differ in them. */
function unknownVariables(fields: Fields): string | undefined {
  return fields.has('envFile')
    ? 'has variables of an envFile, which only its host reads (write them into "env")'
    : undefined;
}
