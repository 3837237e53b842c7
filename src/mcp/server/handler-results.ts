// Converts return values of handlers to MCP results. A string becomes text and bytes become a blob; blocks, contents
// and messages stay unchanged.

import { requireJson } from '../../base/to-json.ts';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  ResourceContents,
} from '../types.ts';

/** The return value of a tool handler. `Value` is the type of its output schema, or anything that JSON can represent. */
export type ToolReturn<Value = unknown> = string | ContentBlock | ContentBlock[] | CallToolResult | Value | undefined;
export type ResourceReturn = string | Uint8Array | ResourceContents | ResourceContents[] | ReadResourceResult;
export type PromptReturn = string | ContentBlock | PromptMessage | PromptMessage[] | GetPromptResult;

const blockTypes = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** A value that is not content becomes structured content, and text too for clients that read only text. */
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

export function toContents(returned: ResourceReturn, uri: string, mimeType: string | undefined): ReadResourceResult {
  if (typeof returned === 'string') return { contents: [labelled({ uri, text: returned }, mimeType)] };
  if (returned instanceof Uint8Array) return { contents: [labelled({ uri, blob: base64(returned) }, mimeType)] };
  if (Array.isArray(returned)) return { contents: returned };
  if ('contents' in returned) return returned;
  return { contents: [returned] };
}

function labelled<T extends ResourceContents>(contents: T, mimeType: string | undefined): T {
  return mimeType === undefined ? contents : { ...contents, mimeType };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // Encodes slices, because a function call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Text and content become one message of the user. */
export function toPromptResult(returned: unknown, description: string | undefined): GetPromptResult {
  const result = withMessages(returned as PromptReturn);
  return description === undefined || result.description !== undefined ? result : { description, ...result };
}

function withMessages(returned: PromptReturn): GetPromptResult {
  if (typeof returned === 'string') return { messages: [fromUser({ type: 'text', text: returned })] };
  if (Array.isArray(returned)) return { messages: returned };
  if ('messages' in returned) return returned;
  if ('role' in returned) return { messages: [returned] };
  return { messages: [fromUser(returned)] };
}

function fromUser(content: ContentBlock): PromptMessage {
  return { role: 'user', content };
}
