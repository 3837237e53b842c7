// In a folder without a config, the running host of another folder is used if there is exactly one. Loaded only when needed: most
// commands have a config.

import { shellWord } from '../../base/command-line.ts';
import { UsageError } from '../../base/errors.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import { RemoteHost } from '../../host/control/remote-host.ts';
import type { LiveDescriptor } from '../../live/descriptor.ts';
import { findLive } from '../../live/find-live.ts';
import type { Settings } from '../settings.ts';
import { controlPathOf } from './running-host.ts';

export async function findHostElsewhere(say: (text: string) => void): Promise<RemoteHost | undefined> {
  const only = await findLiveHost({}, say);
  return only && RemoteHost.connect(only.control!);
}

/** The descriptor of a host: by its config, or the only one. Undefined if none runs; throws if there are several. */
export async function findLiveHost(
  settings: Settings,
  say: (text: string) => void,
): Promise<LiveDescriptor | undefined> {
  const hosts = (await findLive()).filter(({ kind, control }) => kind === 'host' && control !== undefined);
  const path = controlPathOf(settings);
  if (path !== undefined) return hosts.find(({ control }) => control === path);
  const [only, ...others] = hosts;
  if (!only) return undefined;
  if (others.length > 0) {
    throw new UsageError(
      'CONFIG_NOT_FOUND',
      `There is no config here, and ${hosts.length} hosts are running elsewhere`,
      {
        hint: `Choose one: ${hosts.map(howToName).join(', or ')}`,
      },
    );
  }
  say(`There is no config here: using the host that runs ${visibleLine(only.name)}`);
  return only;
}

/** A host of one file is identified by it; one with --discover by its folder. */
function howToName({ name, control, cwd }: LiveDescriptor): string {
  if (controlPathOf({ config: name }) === control) return `--config ${shellWord(name)}`;
  return `--discover in the folder ${shellWord(cwd ?? '.')}`;
}
