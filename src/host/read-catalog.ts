// What the servers of a host offer, asked of all of them at the same time, in the order of the config; and which of them could
// not be asked.

import type { Client } from '../mcp/client/client.ts';
import type { Meta } from '../mcp/types.ts';
import { type Catalog, catalogOf } from './catalog.ts';
import type { Member } from './member.ts';

export interface Entry {
  _meta?: Meta;
}

interface Family {
  what: string;
  /** The member of an entry that names it. */
  key: string;
  list: (client: Client, member: Member) => Promise<readonly Entry[]>;
}

export const families = {
  tools: {
    what: 'tool',
    key: 'name',
    list: async (client, { memory, mayUse }) => (await memory.list(client)).filter(({ name }) => mayUse(name)),
  },
  prompts: { what: 'prompt', key: 'name', list: async (client) => (await client.listPrompts()).prompts },
  resources: { what: 'resource', key: 'uri', list: async (client) => (await client.listResources()).resources },
  resourceTemplates: {
    what: 'resource template',
    key: 'uriTemplate',
    list: async (client) => (await client.listResourceTemplates()).resourceTemplates,
  },
} satisfies Record<string, Family>;

export type FamilyName = keyof typeof families;

/** `readyOnly`: servers that do not run are not started, and not asked. */
export async function readCatalog<T extends Entry>(
  members: readonly Member[],
  name: FamilyName,
  readyOnly: boolean,
): Promise<Catalog<T>> {
  const { key, list } = families[name] as Family;
  const failed: Catalog<T>['failed'] = [];
  const offers = new Map<string, readonly T[]>();
  const asked = members.filter(({ config, supervised }) => {
    if (readyOnly && supervised.state === 'failed') failed.push({ server: config.name, error: supervised.failure() });
    return config.enabled && (!readyOnly || supervised.state === 'ready');
  });
  for (const { config } of asked) offers.set(config.name, []); // in the order of the config
  const ask = async (member: Member) => {
    const { supervised, config } = member;
    try {
      const entries = await supervised.use((client) => list(client, member), { repeatable: true, counts: false });
      offers.set(config.name, entries as readonly T[]);
    } catch (error) {
      failed.push({ server: config.name, error: error as Error });
    }
  };
  await Promise.all(asked.map(ask));
  return { offers: catalogOf(offers, (entry) => String(entry[key as keyof T])), failed };
}
