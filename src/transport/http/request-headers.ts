// 2026-07-28: headers repeat parts of the body, so that proxies need not read it.

import type { JsonRpcMessage } from '../../jsonrpc/message.ts';

/** The member of the parameters that `Mcp-Name` repeats. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** None for a message of an earlier revision, which has no envelope. */
export function repeatedHeaders(message: JsonRpcMessage): Record<string, string> | undefined {
  if (!('method' in message)) return undefined;
  const { method, params } = message;
  const meta = params?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION];
  if (typeof version !== 'string') return undefined;
  const name = params?.[namedBy[method] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

/** What a header cannot carry is encoded. */
function headerText(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
