// The table of host programs. The order is that of precedence where two files of one scope define the same name.

import { clineFormat } from './formats/cline.ts';
import { codexFormat } from './formats/codex.ts';
import { geminiFormat } from './formats/gemini.ts';
import { opencodeFormat } from './formats/opencode.ts';
import {
  claudeCodeFormat,
  continueFormat,
  copilotFormat,
  cursorFormat,
  desktopFormat,
  jetbrainsFormat,
  kiroFormat,
  vscodeFormat,
  windsurfFormat,
} from './formats/plain.ts';
import { zedFormat } from './formats/zed.ts';
import type { HostId, HostProgram } from './host-program.ts';

const json = { format: 'json', keys: ['mcpServers'] } as const;
const vscode = { format: 'json', keys: ['servers'] } as const;
const zed = { format: 'json', keys: ['context_servers'], shared: true } as const;
const codex = { format: 'toml', keys: ['mcp_servers'], shared: true } as const;
const opencode = { format: 'json', keys: ['mcp'], shared: true } as const;
const blocks = { format: 'yaml', keys: ['mcpServers'], list: true, shared: true } as const;

export const hostPrograms: readonly HostProgram[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    files: [{ scope: 'user', path: '{settings}/Claude/claude_desktop_config.json', ...json, shared: true }],
    format: desktopFormat,
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    files: [
      {
        scope: 'local',
        path: '{claude}/.claude.json',
        format: 'json',
        keys: ['projects', '{project}', 'mcpServers'],
        shared: true,
      },
      { scope: 'project', path: '{project}/.mcp.json', ...json },
      { scope: 'user', path: '{claude}/.claude.json', ...json, shared: true },
    ],
    format: claudeCodeFormat,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    files: [
      { scope: 'project', path: '{project}/.cursor/mcp.json', ...json },
      { scope: 'user', path: '{home}/.cursor/mcp.json', ...json },
    ],
    format: cursorFormat,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    files: [
      { scope: 'project', path: '{project}/.vscode/mcp.json', ...vscode },
      { scope: 'user', path: '{settings}/Code/User/mcp.json', ...vscode },
      { scope: 'user', path: '{settings}/Code - Insiders/User/mcp.json', ...vscode },
    ],
    format: vscodeFormat,
  },
  {
    id: 'codex',
    title: 'Codex',
    files: [
      { scope: 'project', path: '{project}/.codex/config.toml', ...codex },
      { scope: 'user', path: '{codex}/config.toml', ...codex },
    ],
    format: codexFormat,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    files: [
      { scope: 'user', path: '{home}/.codeium/windsurf/mcp_config.json', ...json },
      { scope: 'user', path: '{home}/.codeium/mcp_config.json', ...json },
    ],
    format: windsurfFormat,
  },
  {
    id: 'zed',
    title: 'Zed',
    files: [
      { scope: 'project', path: '{project}/.zed/settings.json', ...zed },
      {
        scope: 'user',
        path: {
          linux: '{xdgConfig}/zed/settings.json',
          darwin: '{home}/.config/zed/settings.json',
          win32: '{settings}/Zed/settings.json',
        },
        ...zed,
      },
    ],
    format: zedFormat,
  },
  {
    id: 'cline',
    title: 'Cline',
    files: [
      {
        scope: 'user',
        path: '{cline}/settings/cline_mcp_settings.json',
        variable: 'CLINE_MCP_SETTINGS_PATH',
        ...json,
      },
      {
        scope: 'user',
        path: '{settings}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
        ...json,
      },
    ],
    format: clineFormat,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    files: [
      { scope: 'project', path: '{project}/.gemini/settings.json', ...json, shared: true },
      { scope: 'user', path: '{gemini}/.gemini/settings.json', ...json, shared: true },
    ],
    format: geminiFormat,
  },
  {
    id: 'jetbrains',
    title: 'JetBrains',
    files: [
      { scope: 'project', path: '{project}/.junie/mcp/mcp.json', ...json },
      { scope: 'user', path: '{home}/.junie/mcp/mcp.json', ...json },
      {
        scope: 'user',
        path: {
          linux: '{xdgConfig}/github-copilot/intellij/mcp.json',
          darwin: '{home}/.config/github-copilot/intellij/mcp.json',
          win32: '{localAppData}/github-copilot/intellij/mcp.json',
        },
        ...vscode,
      },
    ],
    format: jetbrainsFormat,
  },
  {
    id: 'continue',
    title: 'Continue',
    files: [
      { scope: 'project', path: '{project}/.continue/mcpServers/*', ...blocks },
      { scope: 'user', path: '{continue}/config.yaml', ...blocks },
      { scope: 'user', path: '{continue}/mcpServers/*', ...blocks },
    ],
    format: continueFormat,
  },
  {
    id: 'copilot',
    title: 'GitHub Copilot CLI',
    files: [
      { scope: 'project', path: '{project}/.github/mcp.json', ...json },
      { scope: 'user', path: '{copilot}/mcp-config.json', ...json },
    ],
    format: copilotFormat,
  },
  {
    id: 'kiro',
    title: 'Kiro',
    files: [
      { scope: 'project', path: '{project}/.kiro/settings/mcp.json', ...json },
      { scope: 'user', path: '{home}/.kiro/settings/mcp.json', ...json },
    ],
    format: kiroFormat,
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    files: [
      { scope: 'project', path: '{project}/opencode.json', ...opencode },
      { scope: 'project', path: '{project}/opencode.jsonc', ...opencode },
      { scope: 'user', path: '{xdgConfig}/opencode/opencode.json', ...opencode },
      { scope: 'user', path: '{xdgConfig}/opencode/opencode.jsonc', ...opencode },
    ],
    format: opencodeFormat,
  },
];

export function hostProgram(id: HostId): HostProgram {
  return hostPrograms.find((host) => host.id === id)!;
}
