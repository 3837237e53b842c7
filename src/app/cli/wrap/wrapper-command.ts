// The Standpipe command that is written to the config of another host.

import { projectOf } from '../../../config/edit/project-paths.ts';
import type { Wrapper } from '../../../config/wrap/wrapped-entry.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { mainFile } from '../main-file.ts';

/**
 * Uses the absolute path of this program, unless it is in the npx cache, because programs started from a desktop have a shorter PATH.
 * The version is pinned because `npx standpipe` runs the newest version in the registry.
 */
export function wrapperCommand(wrapper: Wrapper): string[] {
  const isCached = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/.test(mainFile);
  return isCached ? ['npx', '-y', pinned, wrapper] : [process.execPath, mainFile, wrapper];
}

const pinned = `standpipe@${ownInfo.version}`;

/** Warning if the command stops working when its project is moved. */
export function warningOfCommand(): string | undefined {
  const project = wrapperCommand('tap').includes(mainFile) ? projectOf(mainFile) : undefined;
  if (project === undefined) return undefined;
  return `The entries run Standpipe from the project ${project} and fail if the project is moved or removed. Install it globally and run this command again: npm install -g ${pinned}`;
}
