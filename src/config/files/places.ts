// The paths of config files, in search order, and the folder that each belongs to. Depends only on the platform, the folders and
// the environment that are passed, so that every platform can be tested on any other.

import { homedir } from 'node:os';
import { readVariable } from '../../process/launch/environment.ts';
import { pathOf } from '../expand/paths.ts';

/** Folders, environment and platform in which configs are searched and expanded. */
export interface SystemContext {
  /** The folder Standpipe was started in. */
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export function systemContext(options: Partial<SystemContext> = {}): SystemContext {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform } = options;
  return { cwd, home, env, platform };
}

/** The owner of a file: a project or an application of the user; `named` for one that was named with `--config`. */
export type ConfigOrigin = 'project' | 'claude-desktop' | 'cursor' | 'vscode' | 'named';

export interface ConfigPlace {
  file: string;
  origin: ConfigOrigin;
  /** The folder of the project: `${workspaceFolder}`, the default of `cwd`, and the base of relative paths. */
  folder: string;
}

export function projectPlaces({ cwd, platform }: Pick<SystemContext, 'cwd' | 'platform'>): ConfigPlace[] {
  const path = pathOf(platform);
  return [['mcp.json'], ['.mcp.json'], ['.cursor', 'mcp.json'], ['.vscode', 'mcp.json']].map((parts) => ({
    file: path.join(cwd, ...parts),
    origin: 'project',
    folder: cwd,
  }));
}

/** Files of the user belong to no project: their folder is the one Standpipe was started in. */
export function userPlaces({ cwd, home, env, platform }: SystemContext): ConfigPlace[] {
  const path = pathOf(platform);
  const settings = applicationSettings(home, env, platform);
  return [
    { file: path.join(settings, 'Claude', 'claude_desktop_config.json'), origin: 'claude-desktop', folder: cwd },
    { file: path.join(home, '.cursor', 'mcp.json'), origin: 'cursor', folder: cwd },
    { file: path.join(settings, 'Code', 'User', 'mcp.json'), origin: 'vscode', folder: cwd },
  ];
}

/** A file that was named, which may be one of the above. */
export function placeOf(file: string, systemContext: SystemContext): ConfigPlace {
  const { cwd, platform } = systemContext;
  const path = pathOf(platform);
  const resolved = path.resolve(cwd, file);
  const known = [...projectPlaces(systemContext), ...userPlaces(systemContext)].find(
    (place) => place.file === resolved,
  );
  if (known) return known;
  const holder = path.dirname(resolved);
  const inside = ['.cursor', '.vscode'].includes(path.basename(holder));
  return { file: resolved, origin: 'named', folder: inside ? path.dirname(holder) : holder };
}

function applicationSettings(home: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const path = pathOf(platform);
  if (platform === 'win32') return readVariable(env, 'APPDATA', platform) || path.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  // The XDG specification: a relative path must be ignored.
  const xdg = env.XDG_CONFIG_HOME ?? '';
  return path.isAbsolute(xdg) ? xdg : path.join(home, '.config');
}
