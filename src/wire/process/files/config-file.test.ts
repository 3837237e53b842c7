import { expect, test } from 'vitest';
import { cacheFolder, stateFolder } from './cache-folder.ts';
import { configFile } from './config-file.ts';

const none = () => false;

test('settings and caches are in the folders of XDG, except on Windows', () => {
  const linux = { env: {}, home: '/home/ada', platform: 'linux' } as const;
  expect(configFile('logins.json', linux, none)).toBe('/home/ada/.config/standpipe/logins.json');
  expect(cacheFolder(linux)).toBe('/home/ada/.cache/standpipe');
  expect(stateFolder(linux)).toBe('/home/ada/.local/state/standpipe');
  const env = { XDG_CONFIG_HOME: '/xdg/config', XDG_CACHE_HOME: 'relative', APPDATA: '/no' };
  expect(configFile('logins.json', { ...linux, env }, none)).toBe('/xdg/config/standpipe/logins.json');
  expect(cacheFolder({ ...linux, env })).toBe('/home/ada/.cache/standpipe');
});

test('on Windows they are in AppData, whatever XDG variables are set', () => {
  const windows = { home: 'C:\\Users\\ada', platform: 'win32' } as const;
  const xdg = { XDG_CONFIG_HOME: 'D:\\xdg', XDG_CACHE_HOME: 'D:\\xdg' };
  const env = { ...xdg, AppData: 'R:\\Roaming', LOCALAPPDATA: 'R:\\Local' };
  expect(configFile('logins.json', { ...windows, env }, none)).toBe('R:\\Roaming\\standpipe\\logins.json');
  expect(cacheFolder({ ...windows, env })).toBe('R:\\Local\\standpipe\\cache');
  expect(stateFolder({ ...windows, env })).toBe('R:\\Local\\standpipe\\state');
  expect(configFile('a', { ...windows, env: {} }, none)).toBe('C:\\Users\\ada\\AppData\\Roaming\\standpipe\\a');
  expect(cacheFolder({ ...windows, env: {} })).toBe('C:\\Users\\ada\\AppData\\Local\\standpipe\\cache');
});

test('on Windows, a file of an earlier version is used until the new file exists', () => {
  const windows = { home: 'C:\\Users\\ada', platform: 'win32', env: {} } as const;
  const before = 'C:\\Users\\ada\\.config\\standpipe\\logins.json';
  expect(configFile('logins.json', windows, (file) => file === before)).toBe(before);
  expect(configFile('tokens.json', windows, (file) => file === before)).toContain('AppData');
  expect(configFile('logins.json', windows, () => true)).toContain('AppData');
});
