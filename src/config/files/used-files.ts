// The config files for use without `--discover`: the first one that exists is used. Does not load the table of hosts, because every
// command needs this file to find a running host.

import { pathOf } from '../expand/paths.ts';
import { pathOfHostFile } from '../hosts/host-folders.ts';
import type { HostFile } from '../hosts/host-program.ts';
import type { SystemContext } from '../system-context.ts';

const json = { format: 'json', keys: ['mcpServers'] } as const;

/** Configs of Standpipe itself. */
export const ownFile: HostFile = { scope: 'project', path: '{project}/mcp.json', ...json };
export const ownUserFile: HostFile = { scope: 'user', path: '{standpipe}/mcp.json', ...json };

const names = [['mcp.json'], ['.mcp.json'], ['.cursor', 'mcp.json'], ['.vscode', 'mcp.json']];

export function usedFiles(context: SystemContext): string[] {
  return [...projectFiles(context), pathOfHostFile(ownUserFile, context)];
}

export function projectFiles({ cwd, platform }: Pick<SystemContext, 'cwd' | 'platform'>): string[] {
  return names.map((parts) => pathOf(platform).join(cwd, ...parts));
}
