// Finds the configs and makes one of them. Without `discover`, the first file found is the config. With it, all of the
// project's and the user's files are: the first to define a name wins, and what it hides is listed.

import { UsageError } from '../base/errors.ts';
import type { ConfigFile, RejectedServer } from './config-file.ts';
import { isMissing, type ReadBytes } from './disk.ts';
import { pathOf } from './paths.ts';
import { type ConfigPlace, placeOf, projectPlaces, surroundings, userPlaces } from './places.ts';
import { type ConfigProblem, type Position, problemError } from './problem.ts';
import { type ReadOptions, readPlace } from './read-config.ts';
import type { ServerConfig } from './server-config.ts';

export interface LoadOptions extends ReadOptions {
  /** This file and no other. */
  file?: string;
  /** Also the user's Claude Desktop, Cursor and VS Code files, and all of them together. */
  discover?: boolean;
}

export interface Config {
  servers: readonly ServerConfig[];
  rejected: readonly RejectedServer[];
  /** Entries that another file defined before. */
  shadowed: readonly ShadowedServer[];
  problems: readonly ConfigProblem[];
  /** The files that were read, in order. */
  files: readonly ConfigFile[];
  /** Where files were looked for, in order. */
  searched: readonly string[];
}

export interface ShadowedServer {
  name: string;
  source: Position;
  by: Position;
}

/** Rejects if there is nothing to go by: no file, or none that is a config. Wrong entries are in `problems`. */
export async function loadConfig(options: LoadOptions = {}): Promise<Config> {
  const config = await surveyConfig(options);
  if (config.files.some(({ usable }) => usable)) return config;
  throw problemError(config.problems.find(({ severity }) => severity === 'error')!);
}

/** Like `loadConfig`, for showing what is there: also a missing or unusable file is only a problem. */
export async function surveyConfig(options: LoadOptions = {}, read?: ReadBytes): Promise<Config> {
  const places = findPlaces(options);
  const searched = places.map(({ file }) => file);
  const files: ConfigFile[] = [];
  for (const place of places) {
    const file = await readIfThere(place, options, read);
    if (file) files.push(file);
    if (file && !options.discover) break;
  }
  return mergeFiles(files, searched, files.length === 0 ? [nothingFound(searched, options)] : []);
}

/** A file that is there and cannot be read says nothing, which is not the same as saying that there are no servers. */
async function readIfThere(
  place: ConfigPlace,
  options: LoadOptions,
  read?: ReadBytes,
): Promise<ConfigFile | undefined> {
  try {
    return await readPlace(place, options, read);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (isMissing(error.cause)) return undefined;
    const problems = [notFound(place.file, error.message)];
    return { ...place, usable: false, servers: [], rejected: [], problems, envFiles: [] };
  }
}

/** The first definition of a name counts, also one that cannot be used: no other may take its place unnoticed. */
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
    problems: [...unread, ...files.flatMap(({ problems }) => problems)],
    files,
    searched,
  };
}

function findPlaces(options: LoadOptions): ConfigPlace[] {
  const around = surroundings(options);
  if (options.file !== undefined) return [placeOf(options.file, around)];
  const places = [...projectPlaces(around), ...(options.discover ? userPlaces(around) : [])];
  // In the home folder, a file can be the project's and the user's.
  return places.filter(({ file }, index) => places.findIndex((place) => place.file === file) === index);
}

function notFound(file: string, message: string, suggestion?: string): ConfigProblem {
  return { severity: 'error', code: 'CONFIG_NOT_FOUND', file, line: 1, column: 1, message, suggestion };
}

function nothingFound(searched: readonly string[], options: LoadOptions): ConfigProblem {
  if (options.file !== undefined) return notFound(searched[0]!, `There is no config ${searched[0]}`);
  const { cwd, platform } = surroundings(options);
  const inside = `${cwd}${pathOf(platform).sep}`;
  const places = searched.map((file) => (file.startsWith(inside) ? file.slice(inside.length) : file));
  const also = options.discover ? '' : ', or use the configs of your editors with --discover';
  const suggestion = `Write an mcp.json, name a file with --config${also}. Looked for ${places.join(', ')}.`;
  return notFound(searched[0]!, `There is no config in ${cwd}`, suggestion);
}
