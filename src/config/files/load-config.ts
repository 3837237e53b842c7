// Finds the config files and merges them. Without `discover`, the first file found is the config. With `discover`, all files of the
// project and of the user are used: the first definition of a name takes precedence, and overridden entries are listed.

import { isDeepStrictEqual } from 'node:util';
import { toError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { type ConfigFile, configFromText, type RejectedServer, unusable } from '../config-file.ts';
import type { AskInput } from '../expand/variables.ts';
import { LOCK_FILE } from '../lock/server-lock.ts';
import { withLock } from '../lock/with-lock.ts';
import { type ConfigProblem, type Position, problemError } from '../problem.ts';
import type { CheckEntry } from '../read/check-entry.ts';
import type { ServerConfig } from '../server-config.ts';
import { pathOf, type SystemContext, systemContext } from '../system-context.ts';
import { decodeFile, fromDisk, isMissing, type ReadBytes } from './disk.ts';
import { type ConfigPlace, discoveredPlaces, isFolder, placeOf, placesIn, usedPlaces } from './places.ts';

export interface LoadOptions extends Partial<SystemContext> {
  /** Returns the values of the `inputs` of VS Code. Called again with every load. */
  askInput?: AskInput;
  /** Checks whether the programs and folders of entries exist: `checkOnSystem`. */
  checkEntry?: CheckEntry;
  file?: string;
  /** The files of all host programs, of the project and of the user, merged. */
  discover?: boolean;
}

export interface Config {
  servers: readonly ServerConfig[];
  rejected: readonly RejectedServer[];
  /** Entries that an earlier file overrides. */
  shadowed: readonly ShadowedServer[];
  problems: readonly ConfigProblem[];
  /** The files that were read, in order. */
  files: readonly ConfigFile[];
  /** All files that were searched for, in order. */
  searched: readonly string[];
}

export interface ShadowedServer {
  name: string;
  source: Position;
  by: Position;
}

/** Rejects if no file exists or none is valid. Invalid entries are in `problems`. */
export async function loadConfig(options: LoadOptions = {}): Promise<Config> {
  const config = await surveyConfig(options);
  if (config.files.some(({ usable }) => usable)) return config;
  throw problemError(config.problems.find(({ severity }) => severity === 'error')!);
}

/** Like `loadConfig`, but reports a missing or invalid file as a problem instead of rejecting. */
export async function surveyConfig(options: LoadOptions = {}, read: ReadBytes = fromDisk): Promise<Config> {
  const listed = await Promise.all(findPlaces(options).map((place) => listPlaces(place, read)));
  const places = listed.flatMap(({ places }) => places);
  const searched = [...new Set(listed.flatMap(({ searched }) => searched))];
  const files: ConfigFile[] = [];
  for (const place of places) {
    const file = await readIfThere(place, options, read);
    if (file) files.push(withLock(file, await readLock(file.file, read, options)));
    if (file && !options.discover) break;
  }
  const isEmpty = files.every(({ usable, problems }) => !usable && problems.length === 0);
  return mergeFiles(files, searched, isEmpty ? [nothingFound(searched, options)] : []);
}

/** The files of a folder. The folder itself is watched for new ones. */
async function listPlaces(place: ConfigPlace, read: ReadBytes): Promise<{ places: ConfigPlace[]; searched: string[] }> {
  if (!isFolder(place)) return { places: [place], searched: [place.file] };
  const listing = await read(place.file).catch(toError);
  // A folder that cannot be read is read as a file, which reports the reason.
  if (listing instanceof Error && !isMissing(listing)) return { places: [place], searched: [place.file] };
  const places = listing instanceof Error ? [] : placesIn(place, decodeFile(listing).split('\n'));
  return { places, searched: [place.file, ...places.map(({ file }) => file)] };
}

/** An unreadable file is reported; it is not treated like a file without servers. */
async function readIfThere(place: ConfigPlace, options: LoadOptions, read: ReadBytes): Promise<ConfigFile | undefined> {
  const readText = async (file: string) => decodeFile(await read(file));
  let text: string;
  try {
    text = await readText(place.file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    const message = `The config cannot be read (${toError(error).message}): ${place.file}`;
    return unusable(place, [notFound(place.file, message)]);
  }
  const { askInput, checkEntry } = options;
  return configFromText(text, place, { ...systemContext(options), askInput, checkEntry, readText });
}

/** The lock beside a config file. */
export async function readLock(
  file: string,
  read: ReadBytes = fromDisk,
  options: LoadOptions = {},
): Promise<NonNullable<ConfigFile['lock']>> {
  const { dirname, join } = pathOf(systemContext(options).platform);
  const lock = join(dirname(file), LOCK_FILE);
  let bytes: Uint8Array;
  try {
    bytes = await read(lock);
  } catch (error) {
    return { file: lock, found: isMissing(error) ? undefined : toError(error) };
  }
  const { parseLock } = await import('../lock/lock-file.ts'); // loads node:crypto
  try {
    return { file: lock, found: parseLock(decodeFile(bytes), lock) };
  } catch (error) {
    return { file: lock, found: toError(error) };
  }
}

/** The first definition of a name is used even if it is invalid: another one must not replace it silently. */
export function mergeFiles(
  files: readonly ConfigFile[],
  searched: readonly string[],
  unread: readonly ConfigProblem[] = [],
): Config {
  const defined = new Map<string, Position>();
  const shadowed: ShadowedServer[] = [];
  const isFirst = ({ name, source }: ServerConfig | RejectedServer): boolean => {
    const by = defined.get(name);
    if (by) shadowed.push({ name, source, by });
    else defined.set(name, source);
    return !by;
  };
  const perFile = files.map((file) => ({
    servers: file.servers.filter(isFirst),
    rejected: file.rejected.filter(isFirst),
  }));
  return {
    servers: perFile.flatMap(({ servers }) => servers),
    rejected: perFile.flatMap(({ rejected }) => rejected),
    shadowed,
    problems: withoutRepeats([...unread, ...files.flatMap(({ problems }) => problems)]),
    files,
    searched,
  };
}

/** A file that is read in two parts reports its syntax error twice. */
function withoutRepeats(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function findPlaces(options: LoadOptions): ConfigPlace[] {
  const context = systemContext(options);
  if (options.file !== undefined) return [placeOf(options.file, context)];
  if (!options.discover) return usedPlaces(context);
  const places = discoveredPlaces(context);
  // In the home folder, a file can be both a project file and a user file. Two parts of one file count as two places.
  const isSame = (a: ConfigPlace, b: ConfigPlace) =>
    a.file === b.file && isDeepStrictEqual(a.layout?.keys, b.layout?.keys);
  return places.filter((place, index) => places.findIndex((each) => isSame(each, place)) === index);
}

function notFound(file: string, message: string, suggestion?: string): ConfigProblem {
  return { severity: 'error', code: 'CONFIG_NOT_FOUND', file, line: 1, column: 1, message, suggestion };
}

function nothingFound(searched: readonly string[], options: LoadOptions): ConfigProblem {
  if (options.file !== undefined) return notFound(searched[0]!, `There is no config ${searched[0]}`);
  const { cwd, platform } = systemContext(options);
  const inside = `${cwd}${pathOf(platform).sep}`;
  const places = searched.map((file) => (file.startsWith(inside) ? file.slice(inside.length) : file));
  const all = options.discover
    ? `or name a file with --config. No known host has a config: \`${ownCommand} config --discover --json\` lists the files that were searched for.`
    : `name a file with --config, or use the configs of other hosts with --discover. None of these files exists: ${places.join(', ')}.`;
  const suggestion = `Add a server with \`${ownCommand} add\`, ${all}`;
  return notFound(searched[0]!, `There is no config in ${cwd}`, suggestion);
}
