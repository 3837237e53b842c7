// MCP 2026-07-28 over HTTP: headers repeat parts of the body, so that proxies need not read it.

import { encodeHeader } from '../base/header-text.ts';
import type { JsonRpcMessage } from './message.ts';
import { SharingRequest } from './message-text.ts';

/** The member of the parameters that `Mcp-Name` repeats. */
export const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** None for a message of an earlier revision, which has no envelope. */
export function repeatedHeaders(message: JsonRpcMessage): Record<string, string> | undefined {
  if (!('method' in message)) return undefined;
  const { method } = message;
  // Reading `params` would join what is shared with the rest.
  const isSharing = message instanceof SharingRequest;
  const own = isSharing ? message.own : message.params;
  const meta = (isSharing ? message.shared : own)?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION];
  if (typeof version !== 'string') return undefined;
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  const member = namedBy[method];
  const name = member === undefined ? undefined : own?.[member];
  if (typeof name === 'string') headers['mcp-name'] = encodeHeader(name);
  return headers;
}
