// The names of tools, prompts and resources in the merged service. A server name with characters that common hosts do not allow is
// replaced by a readable form if only one server has that form, and by a form with a hash otherwise. The form with the hash is always
// accepted, because it depends on the server alone. See "Names" in docs/gateway.md.

import { createHash } from 'node:crypto';
import { isObject } from '../../base/json-object.ts';
import { schemeOfExtension } from '../../mcp/extensions/extension.ts';
import type { Result } from '../../mcp/service.ts';

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

/** The prefix of each server: its name if that is plain, its readable form if only one server has it, else the form with a hash. */
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

/** The prefix that does not depend on other servers. */
export function lastingPart(server: string): string {
  return isPlainPart(server) ? server : hashed(readablePart(server), server, MOST_SERVER_CHARS);
}

function readablePart(server: string): string {
  return isPlainPart(server) ? server : server.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_|_$/g, '');
}

function isPlainPart(text: string): boolean {
  return text.length <= MOST_SERVER_CHARS && isPlainName.test(text) && !/__|_$/.test(text);
}

/** `isOwn`: `name` is certainly the server's own name. */
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

/**
 * Address of a URI, or a URI template, that several servers have. The server's own URI follows the server's name unchanged; a URI of an
 * extension keeps its scheme, by which hosts recognise it, and gets the server's name as its first segment.
 */
export function listedUri(server: string, uri: string): string {
  const scheme = schemeOfExtension(uri);
  const part = encodeURIComponent(server);
  return scheme ? `${scheme}://${part}/${uri.slice(scheme.length + '://'.length)}` : `${SCHEME}${part}/${uri}`;
}

/** Every URI of an extension is listed with its server, even if only one server has it: such URIs need not be in any list. */
export function isAlwaysPrefixed(uri: string): boolean {
  return schemeOfExtension(uri) !== undefined;
}

export function partsOfUri(listed: string): { server: string; uri: string } | undefined {
  const scheme = schemeOfExtension(listed);
  const start = scheme ? `${scheme}://` : SCHEME;
  const slash = listed.startsWith(start) ? listed.indexOf('/', start.length) : -1;
  if (slash < 0) return undefined;
  const own = listed.slice(slash + 1);
  try {
    return { server: decodeURIComponent(listed.slice(start.length, slash)), uri: scheme ? start + own : own };
  } catch {
    return undefined; // the text is not a listed URI
  }
}

type RewriteUri = (uri: string) => string;

export function withContentUris(result: Result, rewrite: RewriteUri): Result {
  const contents = mapChanged(result.contents, (item) => withUri(item, rewrite));
  return contents === result.contents ? result : { ...result, contents };
}

/** Rewrites links and embedded resources of a tool result or a prompt, so that clients of the merged service reach their server. */
export function withLinkUris(result: Result, rewrite: RewriteUri): Result {
  const content = mapChanged(result.content, (block) => withLink(block, rewrite));
  const messages = mapChanged(result.messages, (message) => withMessageLinks(message, rewrite));
  if (content === result.content && messages === result.messages) return result;
  return messages === undefined ? { ...result, content } : { ...result, messages };
}

function withMessageLinks(message: unknown, rewrite: RewriteUri): unknown {
  if (!isObject(message)) return message;
  const given = message.content;
  const content = Array.isArray(given)
    ? mapChanged(given, (block) => withLink(block, rewrite))
    : withLink(given, rewrite);
  return content === given ? message : { ...message, content };
}

function withLink(block: unknown, rewrite: RewriteUri): unknown {
  if (!isObject(block)) return block;
  if (block.type === 'resource_link') return withUri(block, rewrite);
  if (block.type !== 'resource') return block;
  const resource = withUri(block.resource, rewrite);
  return resource === block.resource ? block : { ...block, resource };
}

function withUri(item: unknown, rewrite: RewriteUri): unknown {
  if (!isObject(item) || typeof item.uri !== 'string') return item;
  const uri = rewrite(item.uri);
  return uri === item.uri ? item : { ...item, uri };
}

/** Returns the same array if nothing changes. */
function mapChanged(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  let changed: unknown[] | undefined;
  for (const [at, item] of list.entries()) {
    const next = change(item);
    if (next !== item) changed ??= [...list];
    if (changed) changed[at] = next;
  }
  return changed ?? list;
}
