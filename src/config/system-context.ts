// The folders, the environment and the platform in which configs are searched and expanded. All are passed in, so that every
// platform can be tested on any other.

import { homedir } from 'node:os';

export interface SystemContext {
  /** The folder Standpipe was started in. */
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export function systemContext(options: Partial<SystemContext> = {}): SystemContext {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform } = options;
  return { cwd, home, env, platform };
}
