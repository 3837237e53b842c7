// The folder for caches of this user. Its content may be deleted at any time.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export function cacheFolder(): string {
  const xdg = process.env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'standpipe');
}
