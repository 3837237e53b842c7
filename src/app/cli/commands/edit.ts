// Commands that change a config: `add`, `rm`, `import` and `export`.

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { changeConfig } from '../../../config/edit/change-config.ts';
import {
  hostIdOf,
  ownPlaceOf,
  placesOfHost,
  placeToWrite,
  serversOfPlaces,
} from '../../../config/edit/config-servers.ts';
import { exportServers, importServers } from '../../../config/edit/import-export.ts';
import { newEntry } from '../../../config/edit/new-entry.ts';
import { type SecretHandling, secretHandlings, writtenSecrets } from '../../../config/edit/written-secrets.ts';
import { type ConfigPlace, placeOf } from '../../../config/files/places.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import { type RemoteTransport, remoteTransports } from '../../../config/server-config.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { fileWarnings, tellEdited } from '../output/config-change.ts';
import { configFlag } from '../servers/running-host.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';
import { hostNames, warningOfCommand, wrapperCommand } from '../wrap/host-config.ts';
import { addServerOptions, collect, examples, help } from './server-options.ts';

interface AddOptions extends ServerCommandOptions, EditOptions {
  header?: string[];
  transport?: RemoteTransport;
}

export const add: CommandModule = {
  define(command, run) {
    command
      .usage('[options] <name> <url> | <name> -- <command …>')
      .argument('<name>', 'name of the server')
      .argument('[url]', 'URL of a remote server');
    addServerOptions(command)
      .option('--header <name: value>', 'HTTP header for the URL; repeatable', collect)
      .addOption(new Option('--transport <name>', 'HTTP transport').choices(remoteTransports));
    addEditOptions(command, { force: true });
    help(
      command,
      `Changes the config that this folder uses, or creates mcp.json. --env NAME and
\${NAME} in a value write a reference to a variable, not its value.`,
      'add files -- npx -y @modelcontextprotocol/server-filesystem .',
      'add weather --env WEATHER_API_KEY -- uvx weather-server',
      "add tickets https://example.org/mcp --header 'X-Key: ${KEY}'",
      'add files --user --dry-run -- uvx files-server',
    );
    command.action(run(addServer));
  },
};

const addServer: CommandBody = async ({ settings, serverCommand, out }, [name, url], options) => {
  const { env, header, transport, user, force, dryRun = false, ...others } = options as AddOptions;
  const { cwd, protocol, framing, era, revision } = others;
  const place = ownPlaceOf({ config: settings.config, user }, systemContext());
  const { entry, advice } = newEntry({
    command: serverCommand,
    url,
    env,
    header,
    transport,
    settings: withoutUndefined({ cwd: folderFor(place, cwd), protocol, framing, era, revision }),
  });
  let isReplaced = false;
  const changed = await changeConfig(place, {
    create: true,
    dryRun,
    plan: (existing) => {
      isReplaced = existing.has(name!);
      if (isReplaced && !force) {
        throw new UsageError('DUPLICATE_NAME', `${place.file} already has a server "${name}"`, {
          hint: 'Choose another name, or replace it with --force.',
        });
      }
      return { servers: [{ name: name!, entry }] };
    },
  });
  const next = `${ownCommand} tools ${shellWord(name!)}${configFlag(place.file)}`;
  const servers = [{ name: name!, outcome: isReplaced ? ('replaced' as const) : ('added' as const) }];
  const secrets = writtenSecrets(name!, entry);
  const inArguments = secrets.some(({ what }) => what === 'an argument')
    ? ["Write '${SOME_VARIABLE}' in place of the secret in the command, in single quotes, to keep it out of the file."]
    : [];
  const ofFile = secrets.length > 0 ? fileWarnings(changed) : [];
  return tellEdited(out, { changed, servers, dryRun, advice: [...advice, ...inArguments, ...ofFile], next });
};

/** Paths in a config are relative to its project folder. */
function folderFor({ scope, folder }: ConfigPlace, cwd: string | undefined): string | undefined {
  const isHere = scope === 'project' && folder === process.cwd();
  return cwd === undefined || isHere ? cwd : resolve(cwd);
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export const rm: CommandModule = {
  define(command, run) {
    command.argument('<server...>', 'names of the servers');
    addEditOptions(command);
    examples(command, 'rm files', 'rm files weather --dry-run', 'rm tickets --config ~/.cursor/mcp.json');
    command.action(run(remove));
  },
};

const remove: CommandBody = async ({ settings, out }, names, options) => {
  const { user, dryRun = false } = options as EditOptions;
  const place = ownPlaceOf({ config: settings.config, user }, systemContext());
  const changed = await changeConfig(place, {
    dryRun,
    plan: (existing) => {
      const unknown = names.find((name) => !existing.has(name));
      if (unknown === undefined) return { servers: names.map((name) => ({ name, entry: undefined })) };
      throw new UsageError('NAME_UNKNOWN', `There is no server "${unknown}" in ${place.file}`, {
        hint: hintOfNames(unknown, existing.names, 'It has no servers.'),
      });
    },
  });
  const servers = names.map((name) => ({ name, outcome: 'removed' as const }));
  return tellEdited(out, { changed, servers, dryRun });
};

export const importing: CommandModule = {
  define(command, run) {
    command.argument('<host>', 'host, or path of its config file').argument('[server...]', 'servers (default: all)');
    addSecretsOption(addEditOptions(command, { force: true }));
    help(
      command,
      hostNames,
      'import claude-desktop',
      'import codex github --user',
      'import ~/old/mcp.json --dry-run',
      'import cursor --secrets reference',
    );
    command.action(run(importFrom));
  },
};

const importFrom: CommandBody = async ({ settings, out }, [host, ...names], options) => {
  const { user, force, dryRun = false, secrets } = options as EditOptions;
  const context = systemContext();
  const places = /[\\/.]/.test(host!) ? [placeOf(host!, context)] : placesOfHost(hostIdOf(host!), context);
  const from = await serversOfPlaces(places, context.platform);
  if (from.files.length === 0) {
    throw new UsageError('CONFIG_NOT_FOUND', `No config of ${host} was found`, {
      hint: `None of these files exists: ${places.map(({ file }) => file).join(', ')}.`,
    });
  }
  const place = ownPlaceOf({ config: settings.config, user }, context);
  const { changed, servers } = await importServers(from, place, { names, context, force, dryRun, secrets });
  return tellEdited(out, {
    changed,
    servers,
    dryRun,
    from: from.files,
    next: `${ownCommand} ls${configFlag(place.file)}`,
  });
};

interface ExportCommandOptions extends EditOptions {
  scope?: 'user' | 'project';
  reveal?: boolean;
  connect?: boolean;
}

/** Writes the format of the other host. */
export const exporting: CommandModule = {
  define(command, run) {
    command.argument('<host>', 'host to write to').argument('[server...]', 'servers (default: all)');
    addSecretsOption(addEditOptions(command, { force: true }))
      .addOption(
        new Option('--scope <scope>', 'config of the host (default: the existing one)').choices(['user', 'project']),
      )
      .option('--reveal', 'write values of variables that the host does not expand')
      .option('--connect', `run the servers through \`${ownCommand} connect\``);
    help(
      command,
      `With --connect the host starts \`${ownCommand} connect <server>\`, which uses the
config of Standpipe: settings, variables and remote servers then work in every
host, and its windows share one process of each server.
${hostNames}`,
      'export vscode --scope project',
      'export codex github --dry-run',
      'export claude-desktop --connect',
      'export cursor --config ~/mcp.json',
    );
    command.action(run(exportTo));
  },
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

interface EditOptions {
  user?: boolean;
  force?: boolean;
  dryRun?: boolean;
  secrets?: SecretHandling;
}

/** Adds the option of commands that copy servers from one file to another. */
function addSecretsOption(command: Command): Command {
  const option = new Option('--secrets <how>', 'write secrets as references, or copy them to any file');
  return command.addOption(option.choices(secretHandlings));
}

function addEditOptions(command: Command, { force }: { force?: boolean } = {}): Command {
  command.option('--user', 'change the user config: ~/.config/standpipe/mcp.json');
  if (force) command.option('--force', 'replace a server of the same name');
  return command.option('--dry-run', 'show the difference and write nothing');
}
