// Describes a host program: its config files, the location of servers in them, and the format of an entry. Plain data; the table is
// in host-programs.ts. docs/hosts.md lists the same for users.

import type { Node } from 'jsonc-parser';

export const hostIds = [
  ...(['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'windsurf', 'zed', 'cline'] as const),
  ...(['gemini', 'jetbrains', 'continue', 'copilot', 'kiro', 'opencode'] as const),
] as const;
export type HostId = (typeof hostIds)[number];

export interface HostProgram {
  id: HostId;
  title: string;
  /** New entries are written to the first file of a scope. */
  files: readonly HostFile[];
  format: HostFormat;
  /** References that the host expands, without `${` and `}`. Undefined if it uses texts literally. */
  expands?: RegExp;
  /** The names that servers may have. Default: any. */
  names?: RegExp;
  /** Files of the host may have `inputs`. */
  inputs?: boolean;
  /** Files of the host support only commands; remote servers are added in the application. */
  onlyCommands?: boolean;
}

/** `user`: for all projects. `project`: in the folder of a project. `local`: for one project, in a file of the user. */
export type HostScope = 'user' | 'project' | 'local';

export type ConfigFormat = 'json' | 'toml' | 'yaml';

export interface HostFile {
  scope: HostScope;
  /**
   * Begins with a folder of host-folders.ts in braces: `{home}/.cursor/mcp.json`. `/*` at the end stands for all config files of a
   * folder; their extension selects the format.
   */
  path: string | Readonly<Record<'linux' | 'darwin' | 'win32', string>>;
  /** Environment variable that overrides the path. */
  variable?: string;
  /** JSON may have comments and trailing commas. */
  format: ConfigFormat;
  /** The keys that lead to the servers. `{project}` is the path of the project. */
  keys: readonly string[];
  /** The servers are an array, and each has a `name`. */
  list?: boolean;
  /** The file also has other settings, which are ignored, and may have no servers. */
  shared?: boolean;
}

/** An entry in the format of Standpipe, as plain JSON. */
export type PlainEntry = Readonly<Record<string, unknown>>;

/** Conversion between the entry format of a host and that of Standpipe. */
export interface HostFormat {
  /** Key that disables an entry. Undefined if the host cannot disable entries; a disabled entry must then not be written. */
  disables: 'disabled' | 'enabled' | undefined;
  /**
   * Converts an entry to the format of Standpipe. The new nodes keep the offsets of the text. Returns a string with the
   * reason if the entry has no server to run. `project`: the settings of the file for this project.
   */
  read(entry: Node, name: string, root: Node, project?: Node): Node | string;
  /** Keys that the host does not support are left out. */
  write(entry: PlainEntry): Record<string, unknown>;
}
