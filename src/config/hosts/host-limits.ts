// What the config of a host cannot express: variables, inputs, and remote servers.

import type { HostId } from './host-program.ts';

export interface HostLimits {
  /** The references that it expands, without `${` and `}`. Undefined: none, so that a text is used as it is. */
  expands?: RegExp;
  /** The names that servers may have. Default: any. */
  names?: RegExp;
  /** Its file may have `inputs`. */
  inputs?: boolean;
  /** Servers in its file are commands; others are added in the application. */
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
