// Where this user's caches are: what is there can be lost at any time.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export function cacheFolder(): string {
  const xdg = process.env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'standpipe');
}
