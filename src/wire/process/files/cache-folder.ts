// The cache folder of this user, whose content may be deleted at any time, and the folder of state that outlives a process.

import { inUserFolder, userPlaces } from './config-file.ts';

export function cacheFolder(places = userPlaces()): string {
  return places.platform === 'win32'
    ? inUserFolder(places, 'LOCALAPPDATA', ['AppData', 'Local'], ['standpipe', 'cache'])
    : inUserFolder(places, 'XDG_CACHE_HOME', ['.cache'], ['standpipe']);
}

export function stateFolder(places = userPlaces()): string {
  return places.platform === 'win32'
    ? inUserFolder(places, 'LOCALAPPDATA', ['AppData', 'Local'], ['standpipe', 'state'])
    : inUserFolder(places, 'XDG_STATE_HOME', ['.local', 'state'], ['standpipe']);
}
