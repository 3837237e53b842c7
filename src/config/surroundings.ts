// What configs are looked for and expanded in: folders, environment and platform. This machine's, unless told otherwise.

import { homedir } from 'node:os';

export interface Surroundings {
  /** The folder Standpipe was started in. */
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export function surroundings(options: Partial<Surroundings> = {}): Surroundings {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform } = options;
  return { cwd, home, env, platform };
}
