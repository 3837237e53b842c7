// `standpipe rm`: removes servers from the config.

import { UsageError } from '../../../base/errors.ts';
import { changeConfig } from '../../../config/edit/change-config.ts';
import { ownPlaceOf } from '../../../config/edit/own-place.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { tellEdited } from '../output/edited.ts';
import { addEditOptions, type EditOptions } from './edit-options.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.argument('<server...>', 'names of the servers');
  addEditOptions(command);
  examples(command, 'rm files', 'rm files weather --dry-run', 'rm tickets --config ~/.cursor/mcp.json');
  command.action(run(remove));
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
