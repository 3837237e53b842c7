// 2026-07-28 over HTTP: calls repeat arguments in `Mcp-Param-…` headers, for tools that were listed before.

import { encodeHeader } from '../../../base/header-text.ts';
import type { Result } from '../../service.ts';
import { headersOf, valueAt } from '../../tool-headers.ts';
import type { Tool } from '../../types.ts';
import type { Warnings } from '../warnings.ts';

/** Returns undefined if the tool is unknown or has no headers. */
export function callHeaders(tool: Tool | undefined, args: unknown): Record<string, string> | undefined {
  const declared = tool && headersOf(tool);
  if (!declared?.length || typeof declared === 'string') return undefined;
  const headers: Record<string, string> = {};
  for (const { name, path } of declared) {
    const value = valueAt(args, path);
    if (value !== undefined) headers[`mcp-param-${name.toLowerCase()}`] = encodeHeader(value);
  }
  return headers;
}

/** Removes tools whose headers are invalid from a result of `tools/list`: "the client MUST exclude the invalid tool". */
export function withoutInvalidTools(result: Result, warn: Warnings['report']): Result {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  const valid = (tools as Tool[]).filter((tool) => {
    const headers = typeof tool?.name === 'string' ? headersOf(tool) : [];
    if (typeof headers !== 'string') return true;
    warn('tool-left-out', `The tool ${tool.name} is left out: ${headers}`, tool.name);
    return false;
  });
  return valid.length === tools.length ? result : { ...result, tools: valid };
}
