// Adds taps to the config of a host and removes them.

import { join, resolve } from 'node:path';
import type { Fields } from '../../config/read/fields.ts';
import { unwrapServers, type WrapResult, wrapServers } from '../../config/wrap/wrap-servers.ts';

export interface InstallOptions {
  /** The servers to wrap. Default: all servers with a command. */
  servers?: readonly string[];
  /** The command of a tap. Programs started from a desktop get a shorter PATH: use absolute paths if `standpipe` is not in it. */
  tap?: readonly string[];
  /** Each server is recorded here as `<name>.jsonl`. Default: no recordings. */
  recordFolder?: string;
  /** Further options of every tap, such as `['--redact-path', '**.ssn']`. */
  options?: readonly string[];
  dryRun?: boolean | undefined;
}

export function installTap(configFile: string, options: InstallOptions = {}): Promise<WrapResult> {
  const { servers, dryRun } = options;
  const words = (name: string, fields: Fields) => tapWords(name, fields, options);
  return wrapServers(configFile, { wrapper: 'tap', servers, dryRun, words });
}

export function uninstallTap(
  configFile: string,
  { servers, dryRun }: Pick<InstallOptions, 'servers' | 'dryRun'> = {},
): Promise<WrapResult> {
  return unwrapServers(configFile, { wrapper: 'tap', servers, dryRun });
}

function tapWords(
  name: string,
  fields: Fields,
  { tap = ['standpipe', 'tap'], recordFolder, options = [] }: InstallOptions,
): string[] {
  const words = [...tap, '--name', name];
  if (recordFolder !== undefined) words.push('--record', join(resolve(recordFolder), `${fileNameOf(name)}.jsonl`));
  const variables = fields.object('env')?.keys() ?? [];
  if (variables.length > 0) words.push('--mask-env', variables.join(','));
  return [...words, ...options];
}

/** Different names never share a file. */
function fileNameOf(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replace(/^\./, '%2E');
}
