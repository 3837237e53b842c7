// The command of Standpipe that is written into the config of another host.

import { projectOf } from '../../../config/edit/project-paths.ts';
import type { Wrapper } from '../../../config/wrap/wrapped-entry.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { mainFile } from '../main-file.ts';

/**
 * Programs started from a desktop get a shorter PATH: the absolute path of this program is used, unless it is in the cache of npx.
 * The version is pinned, because `npx standpipe` runs the newest version that the registry has.
 */
export function wrapperCommand(wrapper: Wrapper): string[] {
  const isCached = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/.test(mainFile);
  return isCached ? ['npx', '-y', pinned, wrapper] : [process.execPath, mainFile, wrapper];
}

const pinned = `standpipe@${ownInfo.version}`;

/** Why the command fails some day, or undefined. */
export function warningOfCommand(): string | undefined {
  const project = wrapperCommand('tap').includes(mainFile) ? projectOf(mainFile) : undefined;
  if (project === undefined) return undefined;
  return `The entries run the Standpipe of the project ${project}, and fail if the project is moved or removed. Install it for all projects and run this again: npm install -g ${pinned}`;
}
