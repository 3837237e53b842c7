// `standpipe export`: copies servers of the config to the config of another host, in the format of that host.

import { Option } from 'commander';
import { ownCommand } from '../../../base/own-command.ts';
import { hostIdOf, placeToWrite } from '../../../config/edit/host-servers.ts';
import { exportServers } from '../../../config/edit/import-export.ts';
import { ownPlaceOf } from '../../../config/edit/own-place.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { tellEdited } from '../output/edited.ts';
import { hostNames } from '../wrap/host-config.ts';
import { warningOfCommand, wrapperCommand } from '../wrap/wrapper-command.ts';
import { addEditOptions, addSecretsOption, type EditOptions } from './edit-options.ts';
import { examples } from './server-options.ts';

interface ExportCommandOptions extends EditOptions {
  scope?: 'user' | 'project';
  reveal?: boolean;
  connect?: boolean;
}

export const define: CommandModule['define'] = (command, run) => {
  command.argument('<host>', 'host to write to').argument('[server...]', 'servers (default: all)');
  addSecretsOption(addEditOptions(command, { force: true }))
    .addOption(
      new Option('--scope <scope>', 'config of the host (default: the existing one)').choices(['user', 'project']),
    )
    .option('--reveal', 'write values of variables that the host does not expand')
    .option('--connect', `run the servers through \`${ownCommand} connect\``);
  command.addHelpText(
    'after',
    `
With --connect the host starts \`${ownCommand} connect <server>\`, which uses the
config of Standpipe: settings, variables and remote servers then work in every
host, and its windows share one process of each server.
${hostNames}`,
  );
  examples(
    command,
    'export vscode --scope project',
    'export codex github --dry-run',
    'export claude-desktop --connect',
    'export cursor --config ~/mcp.json',
  );
  command.action(run(exportTo));
};

const exportTo: CommandBody = async ({ settings, out }, [host, ...names], options) => {
  const { user, force, dryRun = false, scope, reveal, connect, secrets } = options as ExportCommandOptions;
  const context = systemContext();
  const from = ownPlaceOf({ config: settings.config, user }, context);
  const to = placeToWrite(hostIdOf(host!), scope, context);
  const [program, ...words] = wrapperCommand('connect');
  const entryOf = (name: string) => ({ command: program, args: [...words, name, '--config', from.file] });
  const { changed, servers, revealed } = await exportServers(from, to, {
    ...{ names, context, force, dryRun, reveal, secrets },
    connect: connect ? entryOf : undefined,
  });
  // The host expands the variables in its own environment, where they may be set.
  const forHost = (problem: ConfigProblem): ConfigProblem =>
    problem.code === 'VARIABLE_NOT_SET'
      ? { ...problem, suggestion: `${to.host!.title} needs it in its own environment.` }
      : problem;
  const warning = connect && changed.after !== changed.before ? warningOfCommand() : undefined;
  // VS Code prompts for the values of its inputs.
  const isUnsolved = ({ message }: ConfigProblem) => !(changed.inputs && message.startsWith('Input "'));
  const isRefused = servers.some(({ outcome }) => outcome === 'refused');
  return tellEdited(out, {
    changed: {
      ...changed,
      problems: changed.problems.filter(isUnsolved).map(forHost),
      secrets: [...changed.secrets, ...revealed],
    },
    servers,
    dryRun,
    host: to.host,
    advice: [
      ...(warning === undefined ? [] : [warning]),
      ...(isRefused && !connect
        ? ['With --connect, the entry runs the server through Standpipe. This works in every host.']
        : []),
      ...(changed.after !== changed.before && !dryRun ? [`Restart ${to.host!.title} to apply the change.`] : []),
    ],
  });
};
