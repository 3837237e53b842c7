// `standpipe import`: copies servers of another host into the config.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { hostIdOf, placesOfHost, serversOfPlaces } from '../../../config/edit/host-servers.ts';
import { importServers } from '../../../config/edit/import-export.ts';
import { ownPlaceOf } from '../../../config/edit/own-place.ts';
import { placeOf } from '../../../config/files/places.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { tellEdited } from '../output/edited.ts';
import { configFlag } from '../servers/running-host.ts';
import { hostNames } from '../wrap/host-config.ts';
import { addEditOptions, addSecretsOption, type EditOptions } from './edit-options.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.argument('<host>', 'host, or path of its config file').argument('[server...]', 'servers (default: all)');
  addSecretsOption(addEditOptions(command, { force: true }));
  command.addHelpText('after', `\n${hostNames}`);
  examples(
    command,
    'import claude-desktop',
    'import codex github --user',
    'import ~/old/mcp.json --dry-run',
    'import cursor --secrets reference',
  );
  command.action(run(importFrom));
};

const importFrom: CommandBody = async ({ settings, out }, [host, ...names], options) => {
  const { user, force, dryRun = false, secrets } = options as EditOptions;
  const context = systemContext();
  const places = /[\\/.]/.test(host!) ? [placeOf(host!, context)] : placesOfHost(hostIdOf(host!), context);
  const from = await serversOfPlaces(places, context.platform);
  if (from.files.length === 0) {
    throw new UsageError('CONFIG_NOT_FOUND', `No config of ${host} was found`, {
      hint: `Looked for ${places.map(({ file }) => file).join(', ')}.`,
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
