// The folders that the paths of config files begin with, on each platform.

import { configFile } from '../../wire/process/files/config-file.ts';
import { readVariable } from '../../wire/process/launch/environment.ts';
import { pathOf } from '../expand/paths.ts';
import type { SystemContext } from '../system-context.ts';
import type { HostFile } from './host-program.ts';

type FolderOf = (context: SystemContext) => string;

const inHome =
  (...parts: string[]): FolderOf =>
  ({ home, platform }) =>
    pathOf(platform).join(home, ...parts);

/**
 * The folder in the variable, or else `otherwise`. A relative path is ignored, because hosts resolve it differently.
 */
const variableOr =
  (name: string, otherwise: FolderOf, ...parts: string[]): FolderOf =>
  (context) => {
    const path = pathOf(context.platform);
    const value = readVariable(context.env, name, context.platform) ?? '';
    return path.isAbsolute(value) ? path.join(value, ...parts) : otherwise(context);
  };

// The XDG specification: a relative path must be ignored.
const xdgConfig = variableOr('XDG_CONFIG_HOME', inHome('.config'));

const settings: FolderOf = (context) => {
  if (context.platform === 'win32') return variableOr('APPDATA', inHome('AppData', 'Roaming'))(context);
  if (context.platform === 'darwin') return inHome('Library', 'Application Support')(context);
  return xdgConfig(context);
};

/** By the name in braces. */
const folders: Readonly<Record<string, FolderOf>> = {
  project: ({ cwd }) => cwd,
  home: inHome(),
  /** The folder of Standpipe's own settings. */
  standpipe: (context) => pathOf(context.platform).dirname(configFile('mcp.json', context)),
  xdgConfig,
  /** Where applications keep settings. */
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
