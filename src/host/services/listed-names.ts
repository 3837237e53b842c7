// How all servers as one name what each of them has. A name depends on the server and on its own name there, and on nothing
// else: it stays the same when other servers are added, and no two differ only by their order. See "Names" in docs/gateway.md.

import { createHash } from 'node:crypto';

/** What common hosts allow: `^[a-zA-Z0-9_-]{1,64}$`. */
const MOST_CHARS = 64;
const MOST_SERVER_CHARS = 32;
const HASH_CHARS = 8;
const BETWEEN = '__';

const isPlainName = /^[a-zA-Z0-9_-]+$/;
const endsInHash = /_[0-9a-f]{8}$/;

/**
 * `<server>__<name>` for tools and prompts. A part that has other characters or is too long is cut, and gets a hash of what it
 * was. The first `__` ends the server, so that no name of one server can be that of another.
 */
export function listedName(server: string, name: string): string {
  const part = serverPart(server);
  const most = MOST_CHARS - part.length - BETWEEN.length;
  const isPlain = name.length <= most && isPlainName.test(name);
  return `${part}${BETWEEN}${isPlain ? name : hashed(name.replace(/[^a-zA-Z0-9_-]+/g, '_'), name, most)}`;
}

export function serverPart(server: string): string {
  const isPlain = server.length <= MOST_SERVER_CHARS && isPlainName.test(server) && !/__|_$/.test(server);
  return isPlain ? server : hashed(server.replace(/[^a-zA-Z0-9-]+/g, '_'), server, MOST_SERVER_CHARS);
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
