// The entries of all servers of a host in one list. The shortest address of an entry is its name, or `server/name` if several servers
// have the name. Clients of the merged service see other names: see listed-names.ts.

import { UsageError } from '../../base/errors.ts';
import { hintOfNames } from '../../config/nearest.ts';
import { lastingPart, listedName, serverParts, splitListedName } from './listed-names.ts';

/** Key in `_meta` of an entry: its server, its name there, and the other servers that have the name. */
export const OFFERED_BY = 'dev.standpipe/offer';
/** Key in `_meta` of a list result: servers whose entries are missing, with the reason. */
export const FAILED = 'dev.standpipe/failed';
/** Key in `_meta` of a list request: `none` asks only servers that are ready, `all` also waits for servers that start slowly. */
export const WAIT = 'dev.standpipe/wait';

export interface Offer<T> {
  server: string;
  name: string;
  /** The shortest unambiguous name: the entry's own name if only one server has it. */
  address: string;
  sharedWith: string[];
  definition: T;
}

export interface OfferCatalog<T> {
  offers: Offer<T>[];
  failed: { server: string; error: Error }[];
}

export function catalogOf<T>(offers: ReadonlyMap<string, readonly T[]>, nameOf: (definition: T) => string): Offer<T>[] {
  const owners = new Map<string, Set<string>>(); // sets, because a server may list a name several times
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
      return { server, name, address: offerAddress(server, name, sharedWith), sharedWith, definition };
    }),
  );
}

export function offerAddress(server: string, name: string, sharedWith: readonly string[]): string {
  return sharedWith.length > 0 ? `${server}/${name}` : name;
}

/** Resolves `server/name`, a listed name, or a name that only one server has. `servers`: all listed servers, also unavailable ones. */
export function resolve<T>(
  catalog: readonly Offer<T>[],
  address: string,
  what: string,
  servers: Iterable<string>,
): Offer<T> {
  const named = catalog.filter(({ server, name }) => `${server}/${name}` === address);
  const exact = named.length > 0 ? named : listedAs(catalog, address, servers);
  const found = exact.length > 0 ? exact : catalog.filter(({ name }) => name === address);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const choices = found.map(({ server, name }) => `${server}/${name}`).join(', ');
    throw new UsageError('NAME_AMBIGUOUS', `Several servers have a ${what} named "${address}": ${choices}`, {
      hint: 'Use one of these names.',
    });
  }
  const addresses = catalog.map((offer) => offer.address);
  throw new UsageError('NAME_UNKNOWN', `No server has a ${what} named "${address}"`, {
    hint: hintOfNames(address, addresses, undefined),
  });
}

/** The entries that the merged service lists by this name. Listed names are computed only for the servers that the name begins with. */
export function listedAs<T>(catalog: readonly Offer<T>[], listed: string, servers: Iterable<string>): Offer<T>[] {
  const part = splitListedName(listed)?.part;
  if (part === undefined) return [];
  const named = [...serverParts(servers)].filter(([server, own]) => own === part || lastingPart(server) === part);
  const owners = new Set(named.map(([server]) => server));
  if (owners.size === 0) return [];
  return catalog.filter((offer) => owners.has(offer.server) && listedName(part, offer.name) === listed);
}
