// The cache folder of this user. Its content may be deleted at any time.

import { inUserFolder, userPlaces } from './config-file.ts';

export function cacheFolder(places = userPlaces()): string {
  return places.platform === 'win32'
    ? inUserFolder(places, 'LOCALAPPDATA', ['AppData', 'Local'], ['standpipe', 'cache'])
    : inUserFolder(places, 'XDG_CACHE_HOME', ['.cache'], ['standpipe']);
}
