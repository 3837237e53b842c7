// The servers of a config as plain data in the format of Standpipe. Variables are not expanded: references stay references.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getNodeValue } from 'jsonc-parser';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { decodeFile, fromDisk, isMissing } from '../files/disk.ts';
import {
  type ConfigPlace,
  discoveredPlaces,
  isFolder,
  ownUserPlace,
  placeOf,
  placesIn,
  projectPlaces,
} from '../files/places.ts';
import { type HostId, hostIds, type PlainEntry } from '../hosts/host-program.ts';
import { hintOfNames } from '../nearest.ts';
import { Findings, problemError } from '../problem.ts';
import { findEntries } from '../read/find-entries.ts';
import { parseText } from '../read/json-document.ts';
import type { SystemContext } from '../system-context.ts';
import type { ServersAt } from './change.ts';
import { orEmpty } from './edit-servers.ts';

export interface ConfigServers {
  /** Entries in the format of Standpipe, without those that only their host can run. */
  entries: ReadonlyMap<string, PlainEntry>;
  inputs: ReadonlyMap<string, PlainEntry>;
  /** The places of an entry in the file; for a new one, the place to write it. */
  placesOf(name: string): readonly ServersAt[];
  has(name: string): boolean;
  names: readonly string[];
}

/** Throws for a syntax error, with its position. */
export async function readServers(text: string, place: ConfigPlace, platform: NodeJS.Platform): Promise<ConfigServers> {
  const document = await parseText(orEmpty(text, place.layout ?? { format: 'json' }), place);
  if (document.fault) throw problemError({ severity: 'error', ...document.fault });
  const data: unknown = getNodeValue(document.root!);
  // Other problems of the file are ignored here.
  const found = findEntries(document, new Findings(), place, platform);
  const values = (found?.entries ?? []).map(({ name, node }) => [name, getNodeValue(node)] as const);
  const inputs: unknown[] = found?.inputs?.type === 'array' ? getNodeValue(found.inputs) : [];
  const places = groupsOf(data, place);
  const having = (name: string) => places.filter((each) => namesAt(data, each).includes(name));
  return {
    entries: new Map(values.filter(([, value]) => isObject(value))),
    inputs: new Map(inputs.filter(isObject).map(({ id, ...rest }) => [String(id), rest])),
    placesOf: (name) => (having(name).length > 0 ? having(name) : places.slice(0, 1)),
    has: (name) => having(name).length > 0,
    names: [...new Set(places.flatMap((each) => namesAt(data, each)))],
  };
}

/** The places of servers in a file. New servers are written to the first one. A plain file may have both `mcpServers` and `servers`. */
function groupsOf(data: unknown, { file, folder, layout }: ConfigPlace): ServersAt[] {
  const keys = layout?.keys ?? ['mcpServers'];
  const at = { file, format: layout?.format ?? 'json' } as const;
  const path = keys.map((key) => (key === '{project}' ? folder : key));
  const nameKey = layout?.list && !isObject(valueAt(data, path)) ? 'name' : undefined;
  const isPlain = !layout?.list && keys.length === 1 && ['mcpServers', 'servers'].includes(keys[0]!);
  if (!isPlain) return [{ ...at, path, nameKey }];
  const existing = ['mcpServers', 'servers'].filter((key) => valueAt(data, [key]) !== undefined);
  return (existing.length > 0 ? existing : keys).map((key) => ({ ...at, path: [key] }));
}

function namesAt(data: unknown, { path, nameKey }: ServersAt): string[] {
  const servers = valueAt(data, path);
  if (nameKey === undefined) return isObject(servers) ? Object.keys(servers) : [];
  return Array.isArray(servers) ? servers.flatMap((item) => (isObject(item) ? [String(item[nameKey])] : [])) : [];
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    data,
  );
}

/** The servers of a host or of files. The first file that defines a name is used. */
export interface HostServers {
  files: readonly string[];
  entries: ReadonlyMap<string, PlainEntry>;
  inputs: ReadonlyMap<string, PlainEntry>;
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

/** The config that commands change: the one that Standpipe uses in this folder, or a new one. `user`: the user config. */
export function ownPlaceOf(
  { config, user }: { config?: string | undefined; user?: boolean | undefined },
  context: SystemContext,
): ConfigPlace {
  if (config !== undefined) return placeOf(config, context);
  if (user) return ownUserPlace(context);
  const places = projectPlaces(context);
  return places.find(({ file }) => existsSync(file)) ?? places[0]!;
}
