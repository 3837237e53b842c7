// The tools of several servers, asked at the same time, in the order of the servers; and which of them could not be asked.

import type { Tool } from '../mcp/types.ts';
import { catalogOf, type Offer } from './catalog.ts';
import type { Member } from './member.ts';

export interface AllTools {
  tools: Offer<Tool>[];
  failed: { server: string; error: Error }[];
}

/** `start`: servers that do not run are started; otherwise only those that are ready are asked. */
export async function allTools(
  members: readonly Member[],
  listTools: (server: string) => Promise<readonly Tool[]>,
  start: boolean,
): Promise<AllTools> {
  const failed: AllTools['failed'] = [];
  const offers = new Map<string, readonly Tool[]>();
  for (const { config, supervised } of start ? [] : members) {
    if (supervised.state === 'failed') failed.push({ server: config.name, error: supervised.failure() });
  }
  const asked = members.filter(({ config, supervised }) => config.enabled && (start || supervised.state === 'ready'));
  await Promise.all(
    asked.map(async ({ config: { name } }) => {
      try {
        offers.set(name, await listTools(name));
      } catch (error) {
        failed.push({ server: name, error: error as Error });
      }
    }),
  );
  const inOrder = members.flatMap(({ config: { name } }) =>
    offers.has(name) ? [[name, offers.get(name)!] as const] : [],
  );
  return { tools: catalogOf(new Map(inOrder)), failed };
}
