// The folders that the paths of config files begin with, and the files that are used without `--discover`. Does not load the table of
// hosts, because every command needs this file to find a running host.

import { configFile } from '../../wire/process/files/config-file.ts';
import { readVariable } from '../../wire/process/launch/environment.ts';
import { pathOf, type SystemContext } from '../system-context.ts';
import type { HostFile } from './host-program.ts';

type FolderOf = (context: SystemContext) => string;

const inHome =
  (...parts: string[]): FolderOf =>
  ({ home, platform }) =>
    pathOf(platform).join(home, ...parts);

/** The folder in the variable, or else `otherwise`. A relative path is ignored, as the XDG specification requires. */
const variableOr =
  (name: string, otherwise: FolderOf, ...parts: string[]): FolderOf =>
  (context) => {
    const path = pathOf(context.platform);
    const value = readVariable(context.env, name, context.platform) ?? '';
    return path.isAbsolute(value) ? path.join(value, ...parts) : otherwise(context);
  };

const xdgConfig = variableOr('XDG_CONFIG_HOME', inHome('.config'));

const settings: FolderOf = (context) => {
  if (context.platform === 'win32') return variableOr('APPDATA', inHome('AppData', 'Roaming'))(context);
  if (context.platform === 'darwin') return inHome('Library', 'Application Support')(context);
  return xdgConfig(context);
};

/** The keys are the names in braces. */
const folders: Readonly<Record<string, FolderOf>> = {
  project: ({ cwd }) => cwd,
  home: inHome(),
  standpipe: (context) => pathOf(context.platform).dirname(configFile('mcp.json', context)),
  xdgConfig,
  settings,
  localAppData: variableOr('LOCALAPPDATA', inHome('AppData', 'Local')),
  claude: variableOr('CLAUDE_CONFIG_DIR', inHome()),
  codex: variableOr('CODEX_HOME', inHome('.codex')),
  gemini: variableOr('GEMINI_CLI_HOME', inHome()),
  cline: variableOr('CLINE_DATA_DIR', variableOr('CLINE_DIR', inHome('.cline', 'data'), 'data')),
  copilot: variableOr('COPILOT_HOME', inHome('.copilot')),
  continue: variableOr('CONTINUE_GLOBAL_DIR', inHome('.continue')),
};

/** The absolute path of a file, or of a folder with `/*` at its end. */
export function pathOfHostFile({ path, variable }: HostFile, context: SystemContext): string {
  const { platform } = context;
  const { join, isAbsolute } = pathOf(platform);
  const named = variable === undefined ? '' : (readVariable(context.env, variable, platform) ?? '');
  if (isAbsolute(named)) return named;
  const template =
    typeof path === 'string' ? path : path[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
  const [, folder, rest] = /^\{(\w+)\}\/(.*)$/.exec(template)!;
  return join(folders[folder!]!(context), ...rest!.split('/'));
}

const json = { format: 'json', keys: ['mcpServers'] } as const;

export const ownFile: HostFile = { scope: 'project', path: '{project}/mcp.json', ...json };
export const ownUserFile: HostFile = { scope: 'user', path: '{standpipe}/mcp.json', ...json };

const names = [['mcp.json'], ['.mcp.json'], ['.cursor', 'mcp.json'], ['.vscode', 'mcp.json']];

export function usedFiles(context: SystemContext): string[] {
  return [...projectFiles(context), pathOfHostFile(ownUserFile, context)];
}

export function projectFiles({ cwd, platform }: Pick<SystemContext, 'cwd' | 'platform'>): string[] {
  return names.map((parts) => pathOf(platform).join(cwd, ...parts));
}
