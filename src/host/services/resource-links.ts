// Rewrites URIs in a server's results so that a client of the merged service reaches that server with them. An unchanged value is
// returned as the same object.

import { isObject } from '../../base/json-object.ts';
import type { Result } from '../../mcp/service.ts';

export type RewriteUri = (uri: string) => string;

/** Rewrites the contents of a resource. */
export function withContentUris(result: Result, rewrite: RewriteUri): Result {
  const contents = mapChanged(result.contents, (item) => withUri(item, rewrite));
  return contents === result.contents ? result : { ...result, contents };
}

/** Rewrites links and embedded resources in the result of a tool, or in the messages of a prompt. */
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
