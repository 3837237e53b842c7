// Finds the socket of the host of a config: one per config, in the runtime folder of the user, independent of the current folder.

import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { shortHash } from '../../../base/short-hash.ts';
import { usedFiles } from '../../../config/files/used-files.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import type { Settings } from '../settings.ts';

/** The config file of the settings, if there is one. It is not read. */
export function configFileOf({ config, shared, node }: Settings): string | undefined {
  if (shared || node !== undefined) return undefined;
  if (config !== undefined) return resolve(config);
  return usedFiles(systemContext()).find((file) => existsSync(file));
}

/** What a command line needs to use this config: nothing, if it is the one of the folder. */
export function configFlag(file: string): string {
  return configFileOf({}) === file ? '' : ` --config ${shellWord(file)}`;
}

/** The options that select the same config from any folder. */
export function configOptions(settings: Settings): string[] {
  const file = configFileOf(settings);
  if (settings.shared) return ['--shared'];
  if (settings.node !== undefined) return ['--node', settings.node];
  return [...(settings.discover ? ['--discover'] : []), ...(file === undefined ? [] : ['--config', file])];
}

/** The name of its socket and of the files beside it. Undefined if there is no config. */
export function controlNameOf(settings: Settings): string | undefined {
  if (settings.shared) return 'control-shared';
  if (settings.node !== undefined) return `control-node-${shortHash(settings.node)}`;
  const file = configFileOf(settings);
  const key = settings.discover ? `discover ${process.cwd()} ${settings.config ?? ''}` : file && realPath(file);
  return key === undefined ? undefined : `control-${shortHash(key)}`;
}

/** Undefined if there is no config. */
export function controlPathOf(settings: Settings): string | undefined {
  const name = controlNameOf(settings);
  return name === undefined ? undefined : join(runtimeFolder(), `${name}.sock`);
}

/** Where a host is needed that can be found again: that of a certain config, from any folder. */
export function certainControlPath(settings: Settings): string {
  const path = controlPathOf(settings);
  if (path !== undefined) return path;
  throw new UsageError('CONFIG_NOT_FOUND', `There is no config in ${process.cwd()}`, {
    hint: 'Name it by --config FILE. A program that starts this command may do so in any folder.',
  });
}

/**
 * `say` is called if the host of another folder is used. A command that ends or changes something (`changes`) acts on such a host
 * only where it is named.
 */
export async function findRunningHost(
  settings: Settings,
  say: (text: string) => void = () => undefined,
  changes = false,
): Promise<RemoteHost | undefined> {
  const path = controlPathOf(settings);
  if (path === undefined) {
    const { findHostElsewhere } = await import('./host-elsewhere.ts');
    const elsewhere = (name: string, option: string) => {
      if (changes) throw elsewhereOnly(name, option);
      say(`There is no config here: using the host that runs ${name}`);
    };
    return timed(await findHostElsewhere(elsewhere), settings);
  }
  const { RemoteHost } = await import('../../../host/control/remote-host.ts');
  const host = isTrusted(runtimeFolder()) ? await RemoteHost.connect(path) : undefined;
  if (host || (!settings.shared && settings.node === undefined)) return timed(host, settings);
  if (settings.node !== undefined) {
    throw new UsageError('NOT_STARTED', `No host on this machine is the node "${settings.node}" without a config`, {
      hint: `The host of a node with a config is found by its config. \`${ownCommand} ls --fleet --join …\` shows all nodes.`,
    });
  }
  throw new UsageError('NOT_STARTED', 'No host of shared servers is running', {
    hint: `The first \`${ownCommand} connect -- <command>\` or \`connect <url>\` starts it.`,
  });
}

function elsewhereOnly(name: string, option: string): UsageError {
  return new UsageError('CONFIG_NOT_FOUND', `There is no config here. A host runs elsewhere, with ${name}`, {
    hint: `If you mean that one, add ${option}`,
  });
}

/** `--timeout` holds for each request. */
function timed(host: RemoteHost | undefined, { timeoutMs }: Settings): RemoteHost | undefined {
  if (host) host.timeoutMs = timeoutMs;
  return host;
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file); // as the file system spells it: macOS and Windows do not distinguish case
  } catch {
    return file; // does not exist: no host is running
  }
}
