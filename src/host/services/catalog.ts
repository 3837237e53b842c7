// The entries of all servers of a host in one list. A name that several servers have is addressed as `server/name` and marked as
// shared; a name that only one has stays as it is.

import { UsageError } from '../../base/errors.ts';
import { hintOfNames } from '../../config/nearest.ts';
import type { Client } from '../../mcp/client/client.ts';
import { type ListName, mcpLists } from '../../mcp/lists.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { Meta } from '../../mcp/types.ts';
import type { Member } from '../member.ts';

// The `_meta` members by which all servers as one tell where an entry comes from.

/** Of an entry: the server that has it, its name there, and which others have the same name. */
export const OFFERED_BY = 'dev.standpipe/offer';
/** Of a list: the servers that could not be asked. */
export const FAILED = 'dev.standpipe/failed';
/** Of a request for a list: ask only servers that are ready. Otherwise those that do not run are started. */
export const READY_ONLY = 'dev.standpipe/readyOnly';

export interface Offer<T> {
  server: string;
  name: string;
  /** How to name it so that only it is meant: its own name where that is enough. */
  address: string;
  /** Other servers that offer the same name. */
  sharedWith: string[];
  definition: T;
}

export interface Catalog<T> {
  offers: Offer<T>[];
  /** The servers that could not be asked. */
  failed: { server: string; error: Error }[];
}

export function catalogOf<T>(offers: ReadonlyMap<string, readonly T[]>, nameOf: (definition: T) => string): Offer<T>[] {
  const owners = new Map<string, Set<string>>(); // a server may list a name any number of times
  for (const [server, definitions] of offers) {
    for (const definition of definitions) {
      const name = nameOf(definition);
      const known = owners.get(name);
      if (known) known.add(server);
      else owners.set(name, new Set([server]));
    }
  }
  return [...offers].flatMap(([server, definitions]) =>
    definitions.map((definition) => {
      const name = nameOf(definition);
      const sharedWith = [...owners.get(name)!].filter((owner) => owner !== server);
      return { server, name, address: sharedWith.length > 0 ? `${server}/${name}` : name, sharedWith, definition };
    }),
  );
}

/** Finds what an address means: `server/name`, or a name that only one server has. */
export function resolve<T>(catalog: readonly Offer<T>[], address: string, what: string): Offer<T> {
  const exact = catalog.filter(({ server, name }) => `${server}/${name}` === address);
  const found = exact.length > 0 ? exact : catalog.filter(({ name }) => name === address);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const choices = found.map(({ server, name }) => `${server}/${name}`).join(', ');
    throw new UsageError('NAME_AMBIGUOUS', `Several servers have a ${what} named "${address}": ${choices}`, {
      hint: 'Use one of these.',
    });
  }
  const addresses = catalog.map((offer) => offer.address);
  throw new UsageError('NAME_UNKNOWN', `No server has a ${what} named "${address}"`, {
    hint: hintOfNames(address, addresses, undefined),
  });
}

export interface Entry {
  _meta?: Meta;
}

type ReadList = (client: Client, member: Member, rights: Rights | undefined) => Promise<readonly Entry[]>;

const readers: Record<ListName, ReadList> = {
  tools: async (client, { memory, mayUse, config }, rights) =>
    (await memory.list(client)).filter(({ name }) => mayUse(name) && (rights?.mayUseTool(config.name, name) ?? true)),
  prompts: async (client) => (await client.listPrompts()).prompts,
  resources: async (client) => (await client.listResources()).resources,
  resourceTemplates: async (client) => (await client.listResourceTemplates()).resourceTemplates,
};

/** `readyOnly`: servers that do not run are not started, and not asked. */
export async function readCatalog<T extends Entry>(
  members: readonly Member[],
  name: ListName,
  readyOnly: boolean,
  rights?: Rights,
): Promise<Catalog<T>> {
  const read = readers[name];
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
      const entries = await supervised.use((client) => read(client, member, rights), {
        repeatable: true,
        counts: false,
      });
      offers.set(config.name, entries as readonly T[]);
    } catch (error) {
      failed.push({ server: config.name, error: error as Error });
    }
  };
  await Promise.all(asked.map(ask));
  return { offers: catalogOf(offers, (entry) => String(entry[mcpLists[name].nameKey as keyof T])), failed };
}
