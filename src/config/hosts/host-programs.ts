// The table of host programs. Their order is the precedence of two files of one scope that define the same name.

// biome-ignore-all format: one row for each file

import { formats } from './formats/formats.ts';
import type { HostFile, HostId, HostProgram } from './host-program.ts';

const json = { format: 'json', keys: ['mcpServers'] } as const;
const sharedJson = { ...json, shared: true } as const;
const vscode = { format: 'json', keys: ['servers'] } as const;
const zed = { format: 'json', keys: ['context_servers'], shared: true } as const;
const codex = { format: 'toml', keys: ['mcp_servers'], shared: true } as const;
const opencode = { format: 'json', keys: ['mcp'], shared: true } as const;
const blocks = { format: 'yaml', keys: ['mcpServers'], list: true, shared: true } as const;

const folders = 'workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/';
/** Matches the name of an environment variable, but not names such as `userHome`, which these hosts expand to something else. */
const variable = `(?!(?:${folders})$)[A-Za-z_]\\w*`;
const envOnly = /^env:[A-Za-z_]\w*$/;

type Layout = Omit<HostFile, 'scope' | 'path'>;
const inProject = (path: string, layout: Layout): HostFile => ({ scope: 'project', path: `{project}/${path}`, ...layout });
const ofUser = (path: HostFile['path'], layout: Layout): HostFile => ({ scope: 'user', path, ...layout });

const rows: Readonly<Record<HostId, Omit<HostProgram, 'id' | 'format'>>> = {
  'claude-desktop': { title: 'Claude Desktop', onlyCommands: true, files: [
    ofUser('{settings}/Claude/claude_desktop_config.json', sharedJson),
  ] },
  'claude-code': { title: 'Claude Code', expands: new RegExp(`^${variable}(?::-|$)`), files: [
    { scope: 'local', path: '{claude}/.claude.json', format: 'json', keys: ['projects', '{project}', 'mcpServers'], shared: true },
    inProject('.mcp.json', json),
    ofUser('{claude}/.claude.json', sharedJson),
  ] },
  cursor: { title: 'Cursor', expands: new RegExp(`^(?:env:[A-Za-z_]\\w*|${folders})$`), files: [
    inProject('.cursor/mcp.json', json),
    ofUser('{home}/.cursor/mcp.json', json),
  ] },
  vscode: { title: 'VS Code', expands: new RegExp(`^(?:(?:env|input|config|command):[^}]+|${folders})$`), inputs: true, files: [
    inProject('.vscode/mcp.json', vscode),
    ofUser('{settings}/Code/User/mcp.json', vscode),
    ofUser('{settings}/Code - Insiders/User/mcp.json', vscode),
  ] },
  codex: { title: 'Codex', names: /^[A-Za-z0-9_-]+$/, files: [
    inProject('.codex/config.toml', codex),
    ofUser('{codex}/config.toml', codex),
  ] },
  windsurf: { title: 'Windsurf', expands: envOnly, files: [
    ofUser('{home}/.codeium/windsurf/mcp_config.json', json),
    ofUser('{home}/.codeium/mcp_config.json', json),
  ] },
  zed: { title: 'Zed', files: [
    inProject('.zed/settings.json', zed),
    ofUser({ linux: '{xdgConfig}/zed/settings.json', darwin: '{home}/.config/zed/settings.json', win32: '{settings}/Zed/settings.json' }, zed),
  ] },
  cline: { title: 'Cline', expands: envOnly, files: [
    ofUser('{cline}/settings/cline_mcp_settings.json', { variable: 'CLINE_MCP_SETTINGS_PATH', ...json }),
    ofUser('{settings}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json', json),
  ] },
  gemini: { title: 'Gemini CLI', expands: new RegExp(`^${variable}$`), files: [
    inProject('.gemini/settings.json', sharedJson),
    ofUser('{gemini}/.gemini/settings.json', sharedJson),
  ] },
  jetbrains: { title: 'JetBrains', files: [
    inProject('.junie/mcp/mcp.json', json),
    ofUser('{home}/.junie/mcp/mcp.json', json),
    ofUser({ linux: '{xdgConfig}/github-copilot/intellij/mcp.json', darwin: '{home}/.config/github-copilot/intellij/mcp.json', win32: '{localAppData}/github-copilot/intellij/mcp.json' }, vscode),
  ] },
  continue: { title: 'Continue', expands: /^\{\s*(?:secrets|inputs)\./, files: [
    inProject('.continue/mcpServers/*', blocks),
    ofUser('{continue}/config.yaml', blocks),
    ofUser('{continue}/mcpServers/*', blocks),
  ] },
  copilot: { title: 'GitHub Copilot CLI', expands: new RegExp(`^${variable}$`), files: [
    inProject('.github/mcp.json', json),
    ofUser('{copilot}/mcp-config.json', json),
  ] },
  kiro: { title: 'Kiro', expands: new RegExp(`^${variable}$`), files: [
    inProject('.kiro/settings/mcp.json', json),
    ofUser('{home}/.kiro/settings/mcp.json', json),
  ] },
  opencode: { title: 'OpenCode', files: [
    inProject('opencode.json', opencode),
    inProject('opencode.jsonc', opencode),
    ofUser('{xdgConfig}/opencode/opencode.json', opencode),
    ofUser('{xdgConfig}/opencode/opencode.jsonc', opencode),
  ] },
};

export function hostProgram(id: HostId): HostProgram {
  return { id, format: formats[id], ...rows[id] };
}

export const hostPrograms: readonly HostProgram[] = (Object.keys(rows) as HostId[]).map(hostProgram);
