// The entries of all servers of a host in one list. A name that several servers have is addressed as `server/name` and marked as
// shared; a name that only one has stays as it is.

import { UsageError } from '../base/errors.ts';

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
  const owners = new Map<string, string[]>();
  for (const [server, definitions] of offers) {
    for (const definition of definitions) {
      const name = nameOf(definition);
      owners.set(name, [...(owners.get(name) ?? []), server]);
    }
  }
  return [...offers].flatMap(([server, definitions]) =>
    definitions.map((definition) => {
      const name = nameOf(definition);
      const sharedWith = owners.get(name)!.filter((owner) => owner !== server);
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
  throw new UsageError('NAME_UNKNOWN', `No server has a ${what} named "${address}"`, {
    hint:
      catalog.length > 0
        ? `There are: ${catalog
            .slice(0, 20)
            .map((offer) => offer.address)
            .join(', ')}`
        : undefined,
  });
}
