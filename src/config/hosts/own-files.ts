// The configs that belong to no other host.

import type { HostFile } from './host-program.ts';

const json = { format: 'json', keys: ['mcpServers'] } as const;

export const ownFile: HostFile = { scope: 'project', path: '{project}/mcp.json', ...json };
export const ownUserFile: HostFile = { scope: 'user', path: '{standpipe}/mcp.json', ...json };
