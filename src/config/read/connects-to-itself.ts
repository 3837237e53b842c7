// An entry that runs `standpipe connect` for itself: the host would wait for its own server. This happens where the config of an
// editor, which Standpipe finds too, has `connect` without `--config`.

import { pathOf } from '../expand/paths.ts';
import { projectFiles } from '../files/used-files.ts';
import type { ServerConfig } from '../server-config.ts';
import { runsStandpipe } from '../wrap/wrapped-entry.ts';

export function connectsToItself(server: ServerConfig, file: string, platform: NodeJS.Platform): boolean {
  if (server.command === undefined) return false;
  const { name, command, args, cwd } = server;
  if (args.includes('--') || !runsStandpipe([command, ...args], 'connect')) return false;
  if (!args.includes('--all') && !args.includes(name)) return false;
  const at = args.indexOf('--config');
  if (at >= 0) return pathOf(platform).resolve(cwd, args[at + 1] ?? '') === file;
  return projectFiles({ cwd, platform }).includes(file);
}
