// Finds the config that `tap install` and `share install` change, by the name of a host or by path.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { secretsIn } from '../../../config/edit/change-config.ts';
import { hostIdOf, placesOfHost, placeToWrite, readServers } from '../../../config/edit/config-servers.ts';
import { filesOfProjects, projectOf, relativeFiles } from '../../../config/edit/spell-entry.ts';
import { type ConfigPlace, placeOf } from '../../../config/files/places.ts';
import { hostIds } from '../../../config/hosts/host-program.ts';
import { systemContext } from '../../../config/system-context.ts';
import type { WrapResult } from '../../../config/wrap/wrap-servers.ts';
import type { Wrapper } from '../../../config/wrap/wrapped-entry.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { mainFile } from '../../built-files.ts';
import type { CommandBody } from '../invocation.ts';

interface HostConfigOptions {
  scope?: 'user' | 'project';
  dryRun?: boolean;
}

export interface Wrapped extends WrapResult {
  file: string;
  secrets: readonly string[];
  warnings: readonly string[];
  /** Warnings about the original entries; only for `install`. */
  entryWarnings: readonly string[];
  dryRun: boolean;
}

export interface WrapTarget {
  file: string;
  servers?: readonly string[];
  dryRun: boolean;
}

export function addHostConfig(command: Command): Command {
  return command
    .argument('<host>', 'host, such as cursor, or path of its config file')
    .argument('[server...]', 'servers (default: all)')
    .addOption(
      new Option('--scope <scope>', 'config of the host (default: the existing one)').choices(['user', 'project']),
    )
    .option('--dry-run', 'show the difference and write nothing');
}

/** Two lines of help that fit into 80 columns. */
export const hostNames = `Hosts: ${hostIds.slice(0, 8).join(', ')},\n${hostIds.slice(8).join(', ')}.`;

export async function changeHostConfig(
  [word, ...names]: Parameters<CommandBody>[1],
  { scope, dryRun = false }: HostConfigOptions,
  change: (target: WrapTarget) => Promise<WrapResult>,
): Promise<Wrapped> {
  const context = systemContext();
  const place = isFile(word!) ? placeOf(word!, context) : existingPlace(word!, scope);
  const file = isFile(word!) ? word! : place.file;
  const result = await change({ file, dryRun, ...(names.length > 0 ? { servers: names } : {}) });
  const { entries } = await readServers(result.before, place, context.platform);
  const done = result.servers.filter(({ outcome }) => outcome === 'done').map(({ name }) => name);
  const isProject = (place.scope ?? place.layout?.scope) === 'project';
  const entryWarnings = done.flatMap((name) =>
    isProject ? [] : warningsOf(name, entries.get(name) ?? {}, place.folder),
  );
  const secrets = [...entries.values()].flatMap(secretsIn);
  return { ...result, file, secrets, warnings: otherFiles(word!, place), entryWarnings, dryRun };
}

/** Adds the warnings about the written command and about the entries that `install` has changed. */
export function withWarningOfCommand(wrapped: Wrapped): Wrapped {
  const warning = wrapped.after === wrapped.before ? undefined : warningOfCommand();
  const { warnings, entryWarnings } = wrapped;
  return { ...wrapped, warnings: [...(warning === undefined ? [] : [warning]), ...entryWarnings, ...warnings] };
}

function isFile(word: string): boolean {
  return /[\\/.]/.test(word) || (!(hostIds as readonly string[]).includes(word) && existsSync(word));
}

function existingPlace(word: string, scope: HostConfigOptions['scope']): ConfigPlace {
  const place = placeToWrite(hostIdOf(word), scope, systemContext());
  if (existsSync(place.file)) return place;
  const looked = placesOfHost(hostIdOf(word), systemContext()).filter((each) => !scope || each.scope === scope);
  throw new UsageError('CONFIG_NOT_FOUND', `No config of ${place.host!.title} was found`, {
    hint: `None of these files exists: ${looked.map(({ file }) => file).join(', ')}.`,
  });
}

/** A host reads the servers of all its files. */
function otherFiles(word: string, place: ConfigPlace): string[] {
  if (isFile(word)) return [];
  const others = placesOfHost(hostIdOf(word), systemContext()).filter(
    ({ file, scope }) => resolve(file) !== resolve(place.file) && scope !== 'local' && existsSync(file),
  );
  return others.map(({ file }) => `${place.host!.title} also reads ${file}. Its servers were not changed.`);
}

function warningsOf(name: string, entry: Parameters<typeof relativeFiles>[0], folder: string): string[] {
  const relative = relativeFiles(entry, folder);
  const own = wrapperCommand('tap'); // an entry may already have another Standpipe wrapper, whose path was reported
  const local = filesOfProjects(entry).filter((file) => !own.includes(file));
  return [
    ...(relative.length > 0
      ? [`${name}: the host may start it in another folder. Write the full path of ${relative.join(', ')}.`]
      : []),
    ...(local.length > 0
      ? [`${name}: ${local.join(', ')} belongs to one project. The entry fails if that project is moved.`]
      : []),
  ];
}

/**
 * Uses the absolute path of this program, unless it is in the npx cache, because programs started from a desktop have a shorter PATH.
 * The version is pinned because `npx standpipe` runs the newest version in the registry.
 */
export function wrapperCommand(wrapper: Wrapper): string[] {
  const isCached = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/.test(mainFile);
  return isCached ? ['npx', '-y', pinned, wrapper] : [process.execPath, mainFile, wrapper];
}

const pinned = `standpipe@${ownInfo.version}`;

/** Warning if the command stops working when its project is moved. */
export function warningOfCommand(): string | undefined {
  const project = wrapperCommand('tap').includes(mainFile) ? projectOf(mainFile) : undefined;
  if (project === undefined) return undefined;
  return `The entries run Standpipe from the project ${project} and fail if the project is moved or removed. Install it globally and run this command again: npm install -g ${pinned}`;
}
