// Finds a host from a folder without a config: a fleet node that was started here without a config, or else the only running host.
// Loaded only when needed, because most commands have a config.

import { shellWord, shellWords } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { RemoteHost } from '../../../host/control/remote-host.ts';
import { findLive } from '../../../observe/live/find-live.ts';
import type { LiveDescriptor } from '../../../observe/live/runtime-folder.ts';
import type { Settings } from '../invocation.ts';
import { controlPathOf } from './running-host.ts';

/** Called if the only running host belongs to another folder. `option` selects it from any folder. May throw. */
export type Elsewhere = (name: string, option: string) => void;

export async function findHostElsewhere(elsewhere: Elsewhere): Promise<RemoteHost | undefined> {
  const only = await findLiveHost({}, elsewhere);
  return only && RemoteHost.connect(only.control!);
}

/** Descriptor of the host of the config, of this folder, or the only one. Undefined if none is running; throws if there are several. */
export async function findLiveHost(settings: Settings, elsewhere: Elsewhere): Promise<LiveDescriptor | undefined> {
  const hosts = (await findLive()).filter(({ kind, control }) => kind === 'host' && control !== undefined);
  const path = controlPathOf(settings);
  if (path !== undefined) return hosts.find(({ control }) => control === path);
  const here = hosts.filter((host) => isNode(host) && host.cwd === process.cwd());
  const [only, ...others] = here.length > 0 ? here : hosts;
  if (!only) return undefined;
  if (others.length > 0) {
    throw new UsageError(
      'CONFIG_NOT_FOUND',
      here.length > 0
        ? `There is no config here, and ${here.length} nodes of fleets were started here`
        : `There is no config here, and ${hosts.length} hosts are running elsewhere`,
      {
        hint: `Choose one: ${[only, ...others].map(howToName).join(', or ')}`,
      },
    );
  }
  if (here.length === 0) elsewhere(visibleLine(only.name), howToName(only));
  return only;
}

/** A host is identified by its config file, a node without a config by its name, a host with --discover by its folder. */
function howToName(host: LiveDescriptor): string {
  const { name, control, cwd, cliOptions } = host;
  if (isNode(host)) return shellWords(cliOptions!);
  if (controlPathOf({ config: name }) === control) return `--config ${shellWord(name)}`;
  return `--discover in the folder ${shellWord(cwd ?? '.')}`;
}

function isNode({ cliOptions }: LiveDescriptor): boolean {
  return cliOptions?.[0] === '--node';
}
