// MCP 2026-07-28 over HTTP: headers that repeat parts of the body, so that proxies need not parse it.

import { encodeHeader } from '../../../base/header-text.ts';
import { nameInHeader } from '../../../mcp/methods.ts';
import type { JsonRpcMessage } from '../../jsonrpc/message.ts';
import { SharingRequest } from '../../jsonrpc/message-text.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** Headers that describe the request itself, besides `Mcp-…`. A message must not set them. */
const reserved = new Set([
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'expect', 'host'],
  ...['last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id', 'transfer-encoding'],
]);

/**
 * Returns alternating names and values, including `further` headers of the message. Undefined for messages of earlier
 * revisions, which have no envelope.
 */
export function repeatedHeaders(
  message: JsonRpcMessage,
  further?: Readonly<Record<string, string>>,
): string[] | undefined {
  if (!('method' in message)) return undefined;
  const { method } = message;
  // Reading `params` would merge the shared and own parts, so read them separately.
  const isSharing = message instanceof SharingRequest;
  const own = isSharing ? message.own : message.params;
  const meta = (isSharing ? message.shared : own)?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION];
  if (typeof version !== 'string') return undefined;
  const headers = ['MCP-Protocol-Version', version, 'Mcp-Method', method];
  const member = nameInHeader(method);
  const name = member === undefined ? undefined : own?.[member];
  if (typeof name === 'string') headers.push('Mcp-Name', encodeHeader(name));
  if (!further) return headers;
  for (const [each, value] of Object.entries(further)) {
    if (!reserved.has(each.toLowerCase())) headers.push(each, value);
  }
  return headers;
}
