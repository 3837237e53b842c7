// The servers in the files of a host, as plain data in the format of Standpipe, and the file of a host to write to.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { decodeFile, fromDisk, isMissing } from '../files/disk.ts';
import { type ConfigPlace, discoveredPlaces, isFolder, placesIn } from '../files/places.ts';
import { type HostId, hostIds, type PlainEntry } from '../hosts/host-program.ts';
import { hintOfNames } from '../nearest.ts';
import type { SystemContext } from '../system-context.ts';
import { readServers } from './config-servers.ts';

/** The servers of a host or of files. The first file that defines a name is used. */
export interface HostServers {
  files: readonly string[];
  entries: ReadonlyMap<string, PlainEntry>;
  inputs: ReadonlyMap<string, PlainEntry>;
  /** The file of each entry. */
  fileOf: ReadonlyMap<string, string>;
}

export function hostIdOf(word: string): HostId {
  if ((hostIds as readonly string[]).includes(word)) return word as HostId;
  throw new UsageError('NAME_UNKNOWN', `There is no host "${word}"`, { hint: hintOfNames(word, hostIds, undefined) });
}

export async function serversOfPlaces(places: readonly ConfigPlace[], platform: NodeJS.Platform): Promise<HostServers> {
  const files: string[] = [];
  const fileOf = new Map<string, string>();
  const [entries, inputs] = [new Map<string, PlainEntry>(), new Map<string, PlainEntry>()];
  for (const place of (await Promise.all(places.map(listed))).flat()) {
    const text = await readIfThere(place.file);
    if (text === undefined) continue;
    const found = await readServers(text, place, platform);
    if (!files.includes(place.file)) files.push(place.file);
    for (const [name, entry] of found.entries) {
      if (entries.has(name)) continue;
      entries.set(name, entry);
      fileOf.set(name, place.file);
    }
    for (const [id, input] of found.inputs) if (!inputs.has(id)) inputs.set(id, input);
  }
  return { files, entries, inputs, fileOf };
}

/** All files of a host that `--discover` would use. */
export function placesOfHost(id: HostId, context: SystemContext): ConfigPlace[] {
  return discoveredPlaces(context).filter(({ origin }) => origin === id);
}

/** The file of a host to write to: an existing one, or a new user file. */
export function placeToWrite(id: HostId, scope: 'user' | 'project' | undefined, context: SystemContext): ConfigPlace {
  const places = placesOfHost(id, context)
    .filter((place) => place.scope !== 'local' && (scope === undefined || place.scope === scope))
    .map((place) => (isFolder(place) ? { ...place, file: `${place.file.slice(0, -1)}standpipe.yaml` } : place));
  const found =
    places.find(({ file }) => existsSync(file)) ?? places.find((place) => place.scope === 'user') ?? places[0];
  if (found) return found;
  throw new UsageError('NOT_SUPPORTED', `${id} has no ${scope} config`, { hint: 'Remove --scope.' });
}

async function listed(place: ConfigPlace): Promise<ConfigPlace[]> {
  if (!isFolder(place)) return [place];
  return placesIn(place, await readdir(dirname(place.file)).catch(() => [])); // the folder may not exist
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return decodeFile(await fromDisk(file));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new UsageError('CONFIG_INVALID', `Cannot read ${file}`, {
      hint: 'Use a config file that you can read.',
      cause,
    });
  }
}
