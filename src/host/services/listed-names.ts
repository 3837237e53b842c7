// The names of tools, prompts and resources in the merged service. A server name with characters that common hosts do not allow is
// replaced by a readable form if only one server has that form, and by a form with a hash otherwise. The form with the hash is always
// accepted, because it depends on the server alone. See "Names" in docs/gateway.md.

import { createHash } from 'node:crypto';

/** Common hosts allow `^[a-zA-Z0-9_-]{1,64}$`. */
const MOST_CHARS = 64;
const MOST_SERVER_CHARS = 32;
const HASH_CHARS = 8;
const BETWEEN = '__';

const isPlainName = /^[a-zA-Z0-9_-]+$/;
const endsInHash = /_[0-9a-f]{8}$/;

/**
 * `<part>__<name>` for tools and prompts; `part` stands for the server. A name with other characters, or one that is too long, is cut
 * and gets a hash of the original. The first `__` ends the part, so names of two servers never collide.
 */
export function listedName(part: string, name: string): string {
  const most = MOST_CHARS - part.length - BETWEEN.length;
  const isPlain = name.length <= most && isPlainName.test(name);
  return `${part}${BETWEEN}${isPlain ? name : hashed(name.replace(/[^a-zA-Z0-9_-]+/g, '_'), name, most)}`;
}

/**
 * The part of each server in listed names: its name if that is plain, its readable form if only one server has it, else the form with
 * a hash.
 */
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

/** The form that does not depend on other servers. */
export function lastingPart(server: string): string {
  return isPlainPart(server) ? server : hashed(readablePart(server), server, MOST_SERVER_CHARS);
}

function readablePart(server: string): string {
  return isPlainPart(server) ? server : server.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_|_$/g, '');
}

function isPlainPart(text: string): boolean {
  return text.length <= MOST_SERVER_CHARS && isPlainName.test(text) && !/__|_$/.test(text);
}

/** Splits a listed name. `isOwn`: the second part is certainly the name that the server gave. */
export function splitListedName(listed: string): { part: string; name: string; isOwn: boolean } | undefined {
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

/** Address of a URI, or a URI template, that several servers have. The server's own URI follows the server's name unchanged. */
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
    return undefined; // not a listed URI
  }
}
