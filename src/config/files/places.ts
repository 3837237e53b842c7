// The paths of config files in search order, and the folder that each belongs to. Depends only on the given context.

import { ownFile, ownUserFile, pathOfHostFile, projectFiles } from '../hosts/host-folders.ts';
import type { HostFile, HostId, HostProgram, HostScope } from '../hosts/host-program.ts';
import { hostProgram, hostPrograms } from '../hosts/host-programs.ts';
import { pathOf, type SystemContext } from '../system-context.ts';

/** A host program; `project` or `user` for an `mcp.json` of Standpipe; `named` for a file named with `--config`. */
export type ConfigOrigin = HostId | 'project' | 'user' | 'named';

export interface ConfigPlace {
  file: string;
  origin: ConfigOrigin;
  /** The scope; undefined for a file named by the user. */
  scope?: HostScope;
  /** The folder of the project: `${workspaceFolder}`, the default of `cwd`, and the base of relative paths. */
  folder: string;
  /** The host format of the file, and the place of the servers in it. Default: JSON in the format of Standpipe. */
  host?: HostProgram;
  layout?: HostFile;
}

/** Candidate files without `--discover`. The first that exists is used. */
export function usedPlaces(context: SystemContext): ConfigPlace[] {
  return [...projectPlaces(context), ownUserPlace(context)];
}

export function projectPlaces(context: SystemContext): ConfigPlace[] {
  const places = discoveredPlaces(context);
  return projectFiles(context).map((file) => places.find((place) => place.file === file && place.scope === 'project')!);
}

/** All files that `--discover` looks for, in order of precedence: project files before user files. */
export function discoveredPlaces(context: SystemContext): ConfigPlace[] {
  const places = hostPlaces(context);
  const ofUser = places.filter(({ scope }) => scope === 'user');
  const ofProject = places.filter((place) => !ofUser.includes(place));
  return [ownPlace(context), ...ofProject, ownUserPlace(context), ...ofUser];
}

/** User files are not part of a project: their folder is the one in which Standpipe was started. */
function hostPlaces(context: SystemContext): ConfigPlace[] {
  return hostPrograms.flatMap((host) =>
    host.files.map((layout) => ({
      file: pathOfHostFile(layout, context),
      origin: host.id,
      scope: layout.scope,
      folder: context.cwd,
      host,
      layout,
    })),
  );
}

function ownPlace(context: SystemContext, layout = ownFile): ConfigPlace {
  const { scope } = layout;
  const origin = scope === 'project' ? 'project' : 'user';
  return { file: pathOfHostFile(layout, context), origin, scope, folder: context.cwd, layout };
}

export function ownUserPlace(context: SystemContext): ConfigPlace {
  return ownPlace(context, ownUserFile);
}

export function isFolder({ file }: ConfigPlace): boolean {
  return /[\\/]\*$/.test(file);
}

/** The places of the config files in a folder, by the names in it. Files with other names are ignored. */
export function placesIn(place: ConfigPlace, names: readonly string[]): ConfigPlace[] {
  const configs = names.filter((name) => /\.(?:ya?ml|json)$/i.test(name)).sort();
  return configs.map((name) => {
    const file = place.file.slice(0, -1) + name;
    return { ...place, file, layout: { ...place.layout!, format: formatOf(file) } };
  });
}

/** Place of a file named by the user, which may be one of the above. */
export function placeOf(file: string, context: SystemContext): ConfigPlace {
  const { cwd, platform } = context;
  const path = pathOf(platform);
  const resolved = path.resolve(cwd, file);
  const known = discoveredPlaces(context).find((place) => place.file === resolved && place.scope !== 'local');
  if (known) return known;
  const segments = resolved.split(/[\\/]/);
  const like = hostPrograms
    .flatMap((host) => host.files.map((layout) => ({ host, layout })))
    .find(({ layout }) => layout.scope !== 'local' && looksLike(segments, layout));
  const named = { file: resolved, origin: 'named' as const, folder: path.dirname(resolved) };
  if (like) {
    const { host, layout } = like;
    const inside = layout.scope === 'project' ? segmentsOf(layout)[0]!.length : 1;
    return { ...named, folder: path.resolve(resolved, ...Array<string>(inside).fill('..')), host, layout };
  }
  const format = formatOf(resolved);
  if (format === 'json') return named;
  const host = hostProgram(format === 'toml' ? 'codex' : 'continue');
  return { ...named, host, layout: host.files.find((layout) => layout.format === format)! };
}

function formatOf(file: string): HostFile['format'] {
  if (/\.toml$/i.test(file)) return 'toml';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

/** File names that several programs use. The folder identifies the program. */
const common = new Set(['mcp.json', 'settings.json']);

function looksLike(segments: readonly string[], layout: HostFile): boolean {
  return segmentsOf(layout).some((own) => {
    const needed = layout.scope === 'project' ? own.length : common.has(own.at(-1)!) ? 2 : 1;
    const tail = own.slice(-needed);
    return tail.every((segment, index) => segment === segments.at(index - tail.length));
  });
}

function segmentsOf({ path }: HostFile): string[][] {
  const templates = typeof path === 'string' ? [path] : Object.values(path);
  return templates.map((template) => template.split('/').slice(1));
}
