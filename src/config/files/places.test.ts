import { expect, test } from 'vitest';
import { discoveredPlaces, placeOf, projectPlaces } from './places.ts';

const linux = { platform: 'linux', cwd: '/code', home: '/home/ada', env: {} } as const;
const mac = { platform: 'darwin', cwd: '/code', home: '/Users/ada', env: { XDG_CONFIG_HOME: '/xdg' } } as const;
const windows = {
  platform: 'win32',
  cwd: 'C:\\code',
  home: 'C:\\Users\\ada',
  env: { AppData: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local' },
} as const;

/**
 * Each file with its owner and its scope. `~` is the home folder, `.` the project, and `/` also separates on Windows.
 */
const ofAll = [
  'project project ./mcp.json',
  'claude-code local ~/.claude.json',
  'claude-code project ./.mcp.json',
  'cursor project ./.cursor/mcp.json',
  'vscode project ./.vscode/mcp.json',
  'codex project ./.codex/config.toml',
  'zed project ./.zed/settings.json',
  'gemini project ./.gemini/settings.json',
  'jetbrains project ./.junie/mcp/mcp.json',
  'continue project ./.continue/mcpServers/*',
  'copilot project ./.github/mcp.json',
  'kiro project ./.kiro/settings/mcp.json',
  'opencode project ./opencode.json',
  'opencode project ./opencode.jsonc',
  'user user {standpipe}/mcp.json',
  'claude-desktop user {settings}/Claude/claude_desktop_config.json',
  'claude-code user ~/.claude.json',
  'cursor user ~/.cursor/mcp.json',
  'vscode user {settings}/Code/User/mcp.json',
  'vscode user {settings}/Code - Insiders/User/mcp.json',
  'codex user ~/.codex/config.toml',
  'windsurf user ~/.codeium/windsurf/mcp_config.json',
  'windsurf user ~/.codeium/mcp_config.json',
  'zed user {zed}/settings.json',
  'cline user ~/.cline/data/settings/cline_mcp_settings.json',
  'cline user {settings}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  'gemini user ~/.gemini/settings.json',
  'jetbrains user ~/.junie/mcp/mcp.json',
  'jetbrains user {copilot}/intellij/mcp.json',
  'continue user ~/.continue/config.yaml',
  'continue user ~/.continue/mcpServers/*',
  'copilot user ~/.copilot/mcp-config.json',
  'kiro user ~/.kiro/settings/mcp.json',
  'opencode user {own}/opencode/opencode.json',
  'opencode user {own}/opencode/opencode.jsonc',
];

test.each([
  [
    'linux',
    linux,
    {
      standpipe: '~/.config/standpipe',
      own: '~/.config',
      settings: '~/.config',
      zed: '~/.config/zed',
      copilot: '~/.config/github-copilot',
    },
  ],
  [
    'darwin',
    mac,
    {
      standpipe: '/xdg/standpipe',
      own: '/xdg',
      settings: '~/Library/Application Support',
      zed: '~/.config/zed',
      copilot: '~/.config/github-copilot',
    },
  ],
  [
    'win32',
    windows,
    {
      standpipe: 'D:/Roaming/standpipe',
      own: '~/.config',
      settings: 'D:/Roaming',
      zed: 'D:/Roaming/Zed',
      copilot: 'D:/Local/github-copilot',
    },
  ],
])('%s: lists the files of every host, in the order of precedence', (_, context, folders) => {
  const short = (file: string) => {
    if (context.platform === 'win32') expect(file).not.toContain('/');
    return file.replace(context.home, '~').replace(context.cwd, '.').replaceAll('\\', '/');
  };
  const found = discoveredPlaces(context).map(({ origin, scope, file }) => `${origin} ${scope} ${short(file)}`);
  const expected = ofAll.map((line) => line.replaceAll(/\{(\w+)\}/g, (_, name) => folders[name as 'zed']));
  expect(found).toEqual(expected);
});

test.each([
  ['linux', linux, '/code/'],
  ['win32', windows, 'C:\\code\\'],
])('%s: reads four files of the project without --discover', (_, context, folder) => {
  const names = projectPlaces(context).map(({ file }) => file.slice(folder.length).replaceAll('\\', '/'));
  expect(names).toEqual(['mcp.json', '.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json']);
});

test.each([
  ['XDG_CONFIG_HOME', '/xdg', 'vscode', '/xdg/Code/User/mcp.json'],
  ['XDG_CONFIG_HOME', 'relative', 'vscode', '/home/ada/.config/Code/User/mcp.json'],
  ['CLAUDE_CONFIG_DIR', '/claude', 'claude-code', '/claude/.claude.json'],
  ['CODEX_HOME', '/codex', 'codex', '/codex/config.toml'],
  ['GEMINI_CLI_HOME', '/gem', 'gemini', '/gem/.gemini/settings.json'],
  ['CLINE_DIR', '/cline', 'cline', '/cline/data/settings/cline_mcp_settings.json'],
  ['CLINE_DATA_DIR', '/data', 'cline', '/data/settings/cline_mcp_settings.json'],
  ['CLINE_MCP_SETTINGS_PATH', '/cline.json', 'cline', '/cline.json'],
  ['COPILOT_HOME', '/copilot', 'copilot', '/copilot/mcp-config.json'],
  ['CONTINUE_GLOBAL_DIR', '/continue', 'continue', '/continue/config.yaml'],
])('%s=%s moves the files of %s', (name, value, origin, expected) => {
  const places = discoveredPlaces({ ...linux, env: { [name]: value } });
  expect(places.find((place) => place.origin === origin && place.scope === 'user')!.file).toBe(expected);
});

test('win32: uses the default folder without APPDATA', () => {
  const files = discoveredPlaces({ ...windows, env: {} }).map(({ file }) => file);
  expect(files).toContain('C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json');
});

test.each([
  ['a file in some folder', linux, 'sub/servers.json', '/code/sub/servers.json', 'named', '/code/sub', undefined],
  ['an absolute file', linux, '/etc/mcp.json', '/etc/mcp.json', 'named', '/etc', undefined],
  ['in .vscode', linux, '/app/.vscode/mcp.json', '/app/.vscode/mcp.json', 'named', '/app', 'vscode'],
  ['in .cursor', linux, '/app/.cursor/mcp.json', '/app/.cursor/mcp.json', 'named', '/app', 'cursor'],
  ['in .junie', linux, '/app/.junie/mcp/mcp.json', '/app/.junie/mcp/mcp.json', 'named', '/app', 'jetbrains'],
  ['of Zed, in another folder', linux, '/bak/zed/settings.json', '/bak/zed/settings.json', 'named', '/bak/zed', 'zed'],
  [
    'of Claude Desktop, in another folder',
    linux,
    'claude_desktop_config.json',
    '/code/claude_desktop_config.json',
    'named',
    '/code',
    'claude-desktop',
  ],
  ['TOML', linux, 'servers.toml', '/code/servers.toml', 'named', '/code', 'codex'],
  ['YAML', linux, 'servers.yml', '/code/servers.yml', 'named', '/code', 'continue'],
  ['of the project itself', linux, '.vscode/mcp.json', '/code/.vscode/mcp.json', 'vscode', '/code', 'vscode'],
  ['of the user', linux, '/home/ada/.cursor/mcp.json', '/home/ada/.cursor/mcp.json', 'cursor', '/code', 'cursor'],
  ['on Windows', windows, 'D:/app/.vscode/mcp.json', 'D:\\app\\.vscode\\mcp.json', 'named', 'D:\\app', 'vscode'],
])('finds the project of a named file: %s', (_, context, file, resolved, origin, folder, host) => {
  const place = placeOf(file, context);
  expect({ ...place, host: place.host?.id }).toMatchObject({ file: resolved, origin, folder, host });
});
