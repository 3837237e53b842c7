// The instructions of the merged service: how names are built, which servers are unavailable, and the instructions of servers that
// have been connected.

import type { Member } from '../hosted-server.ts';
import { isAway } from '../supervision/server-state.ts';

/** Limit per server: instructions go into the context of a model. */
const MOST_CHARS = 20_000;

export function instructionsOf(members: readonly Member[]): string {
  const names = members.filter(({ config }) => config.enabled).map(({ config }) => config.name);
  const parts = [
    `Tools and prompts of several servers: each name begins with its server, as in server__name. Servers: ${names.join(', ') || 'none'}.`,
  ];
  for (const { config, supervised, client } of members) {
    if (isAway(supervised.state)) parts.push(`Server "${config.name}" is not available: ${supervised.status.reason}`);
    const own = client?.server.instructions;
    if (own) parts.push(`Server "${config.name}": ${own.slice(0, MOST_CHARS)}`);
  }
  return parts.join('\n\n');
}
