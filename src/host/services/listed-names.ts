// How all servers as one name what each of them has. The name of a server with other characters than hosts allow is readable as long
// as no other server could have it, and has a hash otherwise. The form with the hash is always accepted: it depends on the server
// alone. See "Names" in docs/gateway.md.

import { createHash } from 'node:crypto';

/** What common hosts allow: `^[a-zA-Z0-9_-]{1,64}$`. */
const MOST_CHARS = 64;
const MOST_SERVER_CHARS = 32;
const HASH_CHARS = 8;
const BETWEEN = '__';

const isPlainName = /^[a-zA-Z0-9_-]+$/;
const endsInHash = /_[0-9a-f]{8}$/;

/**
 * `<part>__<name>` for tools and prompts; `part` is that of the server. A name that has other characters or is too long is cut, and gets
 * a hash of what it was. The first `__` ends the part, so that no name of one server can be that of another.
 */
export function listedName(part: string, name: string): string {
  const most = MOST_CHARS - part.length - BETWEEN.length;
  const isPlain = name.length <= most && isPlainName.test(name);
  return `${part}${BETWEEN}${isPlain ? name : hashed(name.replace(/[^a-zA-Z0-9_-]+/g, '_'), name, most)}`;
}

/** The part of each server in listed names: its name if that is plain, a readable form if only one server has it, or a hash. */
export function serverParts(servers: Iterable<string>): ReadonlyMap<string, string> {
  const names = [...servers];
  const owners = new Map<string, number>();
  for (const name of names) owners.set(readablePart(name), (owners.get(readablePart(name)) ?? 0) + 1);
  return new Map(
    names.map((server) => {
      const readable = readablePart(server);
      return [server, isPlainPart(readable) && owners.get(readable) === 1 ? readable : lastingPart(server)];
    }),
  );
}

/** The part that does not depend on other servers. */
export function lastingPart(server: string): string {
  return isPlainPart(server) ? server : hashed(readablePart(server), server, MOST_SERVER_CHARS);
}

function readablePart(server: string): string {
  return isPlainPart(server) ? server : server.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_|_$/g, '');
}

function isPlainPart(text: string): boolean {
  return text.length <= MOST_SERVER_CHARS && isPlainName.test(text) && !/__|_$/.test(text);
}

/** The parts of a listed name. `isOwn`: the second is certainly the name that the server gave. */
export function partsOf(listed: string): { part: string; name: string; isOwn: boolean } | undefined {
  const at = listed.indexOf(BETWEEN);
  if (at < 1) return undefined;
  const name = listed.slice(at + BETWEEN.length);
  return { part: listed.slice(0, at), name, isOwn: !endsInHash.test(name) };
}

function hashed(text: string, whole: string, most: number): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_CHARS);
  return `${text.slice(0, most - HASH_CHARS - 1).replace(/_+$/, '')}_${hash}`;
}

const SCHEME = 'standpipe://';

/** A URI, or a URI template, that several servers have. What follows the server is the URI as the server has it. */
export function listedUri(server: string, uri: string): string {
  return `${SCHEME}${encodeURIComponent(server)}/${uri}`;
}

export function partsOfUri(listed: string): { server: string; uri: string } | undefined {
  if (!listed.startsWith(SCHEME)) return undefined;
  const slash = listed.indexOf('/', SCHEME.length);
  if (slash < 0) return undefined;
  try {
    return { server: decodeURIComponent(listed.slice(SCHEME.length, slash)), uri: listed.slice(slash + 1) };
  } catch {
    return undefined; // it is no form of ours
  }
}
