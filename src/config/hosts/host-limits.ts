// Limits of the configs of hosts: which variables, inputs and remote servers they support.

import type { HostId } from './host-program.ts';

export interface HostLimits {
  /** References that the host expands, without `${` and `}`. Undefined if it expands none and uses texts literally. */
  expands?: RegExp;
  /** The names that servers may have. Default: any. */
  names?: RegExp;
  /** Its file may have `inputs`. */
  inputs?: boolean;
  /** The file supports only commands; remote servers are added in the application. */
  onlyCommands?: boolean;
}

const folders = 'workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/';
/** In these hosts, `${userHome}` would be a variable. */
const variable = `(?!(?:${folders})$)[A-Za-z_]\\w*`;
const env = /^env:[A-Za-z_]\w*$/;

export const hostLimits: Readonly<Record<HostId, HostLimits>> = {
  'claude-desktop': { onlyCommands: true },
  'claude-code': { expands: new RegExp(`^${variable}(?::-|$)`) },
  cursor: { expands: new RegExp(`^(?:env:[A-Za-z_]\\w*|${folders})$`) },
  vscode: { expands: new RegExp(`^(?:(?:env|input|config|command):[^}]+|${folders})$`), inputs: true },
  codex: { names: /^[A-Za-z0-9_-]+$/ },
  windsurf: { expands: env },
  zed: {},
  cline: { expands: env },
  gemini: { expands: new RegExp(`^${variable}$`) },
  jetbrains: {},
  copilot: { expands: new RegExp(`^${variable}$`) },
  kiro: { expands: new RegExp(`^${variable}$`) },
  opencode: {},
  continue: { expands: /^\{\s*(?:secrets|inputs)\./ },
};
