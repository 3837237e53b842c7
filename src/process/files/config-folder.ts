// The folder for settings of this user.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export function configFolder(): string {
  const xdg = process.env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homedir(), '.config'), 'standpipe');
}
