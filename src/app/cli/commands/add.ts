// `standpipe add`: adds a server to the config.

import { resolve } from 'node:path';
import { Option } from 'commander';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { changeConfig } from '../../../config/edit/change-config.ts';
import { newEntry } from '../../../config/edit/new-entry.ts';
import { ownPlaceOf } from '../../../config/edit/own-place.ts';
import { writtenSecrets } from '../../../config/edit/written-secrets.ts';
import type { ConfigPlace } from '../../../config/files/places.ts';
import { type RemoteTransport, remoteTransports } from '../../../config/server-config.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { fileWarnings, tellEdited } from '../output/edited.ts';
import { configFlag } from '../servers/running-host.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';
import { addEditOptions, type EditOptions } from './edit-options.ts';
import { addServerOptions, collect, examples } from './server-options.ts';

interface AddOptions extends ServerCommandOptions, EditOptions {
  header?: string[];
  transport?: RemoteTransport;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] <name> <url> | <name> -- <command …>')
    .argument('<name>', 'name of the server')
    .argument('[url]', 'URL of a remote server');
  addServerOptions(command)
    .option('--header <name: value>', 'HTTP header for the URL; repeatable', collect)
    .addOption(new Option('--transport <name>', 'HTTP transport').choices(remoteTransports));
  addEditOptions(command, { force: true });
  command.addHelpText(
    'after',
    `
Changes the config that this folder uses, or creates mcp.json. --env NAME and
\${NAME} in a value write a reference to a variable, not its value.`,
  );
  examples(
    command,
    'add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'add weather --env WEATHER_API_KEY -- uvx weather-server',
    "add tickets https://example.org/mcp --header 'X-Key: ${KEY}'",
    'add files --user --dry-run -- uvx files-server',
  );
  command.action(run(add));
};

const add: CommandBody = async ({ settings, serverCommand, out }, [name, url], options) => {
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
