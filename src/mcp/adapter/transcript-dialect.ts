// Translates a dialect that tutorials have spread: methods with a prefix (`mcp/tools/list`), members in snake case
// (`client_info`, `is_error`), `parameters` for the input schema, and content that is one string. Requests are
// translated before they are served, and results afterwards. Other requests cost one comparison.

import { requireJson } from '../../base/to-json.ts';
import { NEWEST_LEGACY } from '../revisions.ts';
import type { Params, Result } from '../service.ts';
import type { CallToolResult, Tool } from '../types.ts';

const PREFIX = 'mcp/';

/** A request of the dialect, translated to MCP. */
export interface TranslatedRequest {
  method: string;
  params: Params;
}

const translations: Record<string, (result: never) => Result> = {
  initialize: ({ serverInfo, capabilities }: { serverInfo: object; capabilities: object }) => ({
    server_info: serverInfo,
    capabilities,
  }),
  'tools/list': ({ tools, nextCursor }: { tools: Tool[]; nextCursor?: string }) => ({
    tools: listOf(tools).map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  }),
  'tools/call': ({ content, isError }: CallToolResult) => ({
    content: listOf(content)
      .map((block) => (block.type === 'text' ? block.text : requireJson(block)))
      .join('\n'),
    is_error: isError ?? false,
  }),
};

/** A server may send anything in place of a list. */
function listOf<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [];
}

export function fromDialect(method: string, params: Params): TranslatedRequest | undefined {
  if (method.startsWith(PREFIX)) return { method: method.slice(PREFIX.length), params };
  if (method !== 'initialize' || params.client_info === undefined) return undefined;
  // The tutorials show `initialize` without a version.
  const { client_info: clientInfo, protocol_version: protocolVersion = NEWEST_LEGACY, ...rest } = params;
  return { method, params: { ...rest, clientInfo, protocolVersion } };
}

/**
 * Translates the result of a request in the dialect. Results of other types, such as `input_required`, do not exist in
 * the dialect and stay unchanged.
 */
export function toDialect(method: string, result: Result): Result {
  const translate = Object.hasOwn(translations, method) ? translations[method] : undefined;
  return translate && (result.resultType ?? 'complete') === 'complete' ? translate(result as never) : result;
}
