// What a tool's handler returned, as a result: a string becomes text, content blocks stay, and any other value is
// structured content, shown as text too for clients that only read that.

import { requireJson } from '../../base/to-json.ts';
import type { CallToolResult, ContentBlock } from '../types.ts';

/** What a handler may return. `Value` is what its output schema says, or anything that JSON can carry. */
export type ToolReturn<Value = unknown> = string | ContentBlock | ContentBlock[] | CallToolResult | Value | undefined;

const blockTypes = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

export function toToolResult(returned: unknown, hasOutputSchema: boolean): CallToolResult {
  if (isToolResult(returned)) return returned;
  if (!hasOutputSchema) {
    if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] };
    if (returned === undefined) return { content: [] };
    if (isBlock(returned)) return { content: [returned] };
    if (Array.isArray(returned) && returned.every(isBlock)) return { content: returned };
  }
  const value = returned ?? null;
  return { content: [{ type: 'text', text: requireJson(value) }], structuredContent: value };
}

export function toolError(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function isToolResult(value: unknown): value is CallToolResult {
  if (typeof value !== 'object' || value === null) return false;
  const { content } = value as { content?: unknown };
  return Array.isArray(content) && content.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && blockTypes.has((value as { type?: unknown }).type as string);
}
