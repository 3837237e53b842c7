// Finds the socket of the host of a config. Each config has one socket in the user's runtime folder, whatever the current folder is.

import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { shortHash } from '../../../base/short-hash.ts';
import { usedFiles } from '../../../config/hosts/host-folders.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import type { Settings } from '../invocation.ts';

/** Path of the config file for the settings, if there is one. The file is not read. */
export function configFileOf({ config, shared, node }: Settings): string | undefined {
  if (shared || node !== undefined) return undefined;
  if (config !== undefined) return resolve(config);
  return usedFiles(systemContext()).find((file) => existsSync(file));
}

/** Option that selects this config on a command line; empty if it is the config of the folder. */
export function configFlag(file: string): string {
  return configFileOf({}) === file ? '' : ` --config ${shellWord(file)}`;
}

/** Options that select the same config from any folder. */
export function configOptions(settings: Settings): string[] {
  const file = configFileOf(settings);
  if (settings.shared) return ['--shared'];
  if (settings.node !== undefined) return ['--node', settings.node];
  return [...(settings.discover ? ['--discover'] : []), ...(file === undefined ? [] : ['--config', file])];
}

/** Base name of the socket and of the files beside it. Undefined if there is no config. */
export function controlNameOf(settings: Settings): string | undefined {
  if (settings.shared) return 'control-shared';
  if (settings.node !== undefined) return `control-node-${shortHash(settings.node)}`;
  const file = configFileOf(settings);
  const key = settings.discover ? `discover ${process.cwd()} ${settings.config ?? ''}` : file && realPath(file);
  return key === undefined ? undefined : `control-${shortHash(key)}`;
}

export function controlPathOf(settings: Settings): string | undefined {
  if (settings.control !== undefined) return settings.control;
  const name = controlNameOf(settings);
  return name === undefined ? undefined : join(runtimeFolder(), `${name}.sock`);
}

/** The socket of a host that other commands must find from any folder. Throws without a config. */
export function certainControlPath(settings: Settings): string {
  const path = controlPathOf(settings);
  if (path !== undefined) return path;
  throw new UsageError('CONFIG_NOT_FOUND', `There is no config in ${process.cwd()}`, {
    hint: 'Name the config with --config FILE: another program may start this command in any folder.',
  });
}

/**
 * Calls `say` if the host of another folder is used. A command that stops or changes a host (`changes`) uses such a host only if the
 * user names it.
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
      say(`There is no config here. Using the host that runs ${name}`);
    };
    return timed(await findHostElsewhere(elsewhere), settings);
  }
  const { RemoteHost } = await import('../../../host/control/remote-host.ts');
  const host = isTrusted(runtimeFolder()) ? await RemoteHost.connect(path) : undefined;
  if (host || (!settings.shared && settings.node === undefined)) return timed(host, settings);
  if (settings.node !== undefined) {
    throw new UsageError('NOT_STARTED', `No host on this machine runs the node "${settings.node}" without a config`, {
      hint: `Use --config to find the host of a node with a config. \`${ownCommand} ls --fleet --join …\` shows all nodes.`,
    });
  }
  throw new UsageError('NOT_STARTED', 'The shared host is not running', {
    hint: `The first \`${ownCommand} connect -- <command>\` or \`connect <url>\` starts it.`,
  });
}

function elsewhereOnly(name: string, option: string): UsageError {
  return new UsageError('CONFIG_NOT_FOUND', `There is no config here. A host in another folder runs ${name}`, {
    hint: `To use that host, add ${option}`,
  });
}

/** `--timeout` applies to each request. */
function timed(host: RemoteHost | undefined, { timeoutMs }: Settings): RemoteHost | undefined {
  if (host) host.timeoutMs = timeoutMs;
  return host;
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file); // restores upper and lower case as in the file system, which macOS and Windows ignore in paths
  } catch {
    return file; // the file does not exist: no host is running
  }
}
