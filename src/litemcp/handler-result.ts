// What a handler may return, and the response that it becomes. A plain value is one content of its own type; nothing is
// no content; a list of contents is those contents; a whole response is taken as it is, so that a handler can report an
// error with several contents.

import type { CallResultResponse, CallResultResponseContent } from './call-result.ts';
import { printValue, textOfValue } from './values.ts';

/** One content whose `data` may still be a value. */
export interface ContentValue {
  type: string;
  data: unknown;
}

export type HandlerResult =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | object
  | readonly ContentValue[]
  | { content: readonly ContentValue[]; error: boolean };

/** Throws a UsageError for what has no text. */
export function toResponse(result: unknown): CallResultResponse {
  if (isResponse(result)) return { content: result.content.map(printContent), error: result.error };
  return { content: toContent(result), error: false };
}

function toContent(result: unknown): CallResultResponseContent[] {
  if (result === undefined || result === null) return [];
  // An empty list is a value: nothing was found. No content at all is what `undefined` says.
  if (Array.isArray(result) && result.length > 0 && result.every(isContent)) return result.map(printContent);
  return [printValue(result)];
}

function printContent({ type, data }: ContentValue): CallResultResponseContent {
  return { type, data: textOfValue(data) };
}

function isContent(value: unknown): value is ContentValue {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 2 && keys.includes('data') && typeof (value as ContentValue).type === 'string';
}

function isResponse(value: unknown): value is { content: ContentValue[]; error: boolean } {
  if (typeof value !== 'object' || value === null) return false;
  const { content, error } = value as Record<string, unknown>;
  return typeof error === 'boolean' && Array.isArray(content) && content.every(isContent);
}
