import { expect, test } from 'vitest';
import { placeOf, projectPlaces, userPlaces } from './places.ts';

const linux = { platform: 'linux', cwd: '/code', home: '/home/ada', env: {} } as const;
const mac = { platform: 'darwin', cwd: '/code', home: '/Users/ada', env: { XDG_CONFIG_HOME: '/ignored' } } as const;
const windows = {
  platform: 'win32',
  cwd: 'C:\\code',
  home: 'C:\\Users\\ada',
  env: { AppData: 'D:\\Roaming' },
} as const;
const files = (places: { file: string }[]) => places.map(({ file }) => file);

test.each([
  ['linux', linux, ['/code/mcp.json', '/code/.mcp.json', '/code/.cursor/mcp.json', '/code/.vscode/mcp.json']],
  ['darwin', mac, ['/code/mcp.json', '/code/.mcp.json', '/code/.cursor/mcp.json', '/code/.vscode/mcp.json']],
  [
    'win32',
    windows,
    ['C:\\code\\mcp.json', 'C:\\code\\.mcp.json', 'C:\\code\\.cursor\\mcp.json', 'C:\\code\\.vscode\\mcp.json'],
  ],
])('%s: the places of a project', (_, systemContext, expected) => {
  expect(files(projectPlaces(systemContext))).toEqual(expected);
});

test.each([
  [
    'linux',
    linux,
    [
      '/home/ada/.config/Claude/claude_desktop_config.json',
      '/home/ada/.cursor/mcp.json',
      '/home/ada/.config/Code/User/mcp.json',
    ],
  ],
  [
    'darwin',
    mac,
    [
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      '/Users/ada/.cursor/mcp.json',
      '/Users/ada/Library/Application Support/Code/User/mcp.json',
    ],
  ],
  [
    'win32',
    windows,
    [
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\ada\\.cursor\\mcp.json',
      'D:\\Roaming\\Code\\User\\mcp.json',
    ],
  ],
])('%s: the places of a user', (_, systemContext, expected) => {
  expect(files(userPlaces(systemContext))).toEqual(expected);
});

test('linux: XDG_CONFIG_HOME counts if it is absolute', () => {
  const [claude] = userPlaces({ ...linux, env: { XDG_CONFIG_HOME: '/xdg' } });
  expect(claude!.file).toBe('/xdg/Claude/claude_desktop_config.json');
  expect(userPlaces({ ...linux, env: { XDG_CONFIG_HOME: 'xdg' } })).toEqual(userPlaces(linux));
});

test('win32: without APPDATA the usual folder is taken', () => {
  const [claude] = userPlaces({ ...windows, env: {} });
  expect(claude!.file).toBe('C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json');
});

test.each([
  ['a file in some folder', linux, 'sub/servers.json', '/code/sub/servers.json', 'named', '/code/sub'],
  ['an absolute file', linux, '/etc/mcp.json', '/etc/mcp.json', 'named', '/etc'],
  ['in .vscode', linux, '/app/.vscode/mcp.json', '/app/.vscode/mcp.json', 'named', '/app'],
  ['in .cursor', linux, '/app/.cursor/mcp.json', '/app/.cursor/mcp.json', 'named', '/app'],
  ['the project’s own', linux, '.vscode/mcp.json', '/code/.vscode/mcp.json', 'project', '/code'],
  ['the user’s own', linux, '/home/ada/.cursor/mcp.json', '/home/ada/.cursor/mcp.json', 'cursor', '/code'],
  ['on Windows', windows, 'D:/app/.vscode/mcp.json', 'D:\\app\\.vscode\\mcp.json', 'named', 'D:\\app'],
])('a named file has its project: %s', (_, systemContext, file, resolved, origin, folder) => {
  expect(placeOf(file, systemContext)).toEqual({ file: resolved, origin, folder });
});
