// Converts the response of a LiteMCP call to the result of an MCP tool, and back. A LiteMCP content is a string with a free-form type;
// MCP has kinds of blocks. The round trip preserves contents: a type that a block cannot express is kept in `_meta`.

import { SHARED_MAX_FRAME_VALUES, ValueBudget } from '../base/count-json-values.ts';
import { requireJson } from '../base/to-json.ts';
import type { CallToolResult, ContentBlock } from '../mcp/types.ts';
import type { CallResultResponse, CallResultResponseContent } from './call-result.ts';
import { kindOf, parserOf, parseValue, printValue } from './values.ts';

/** The member of a text block's `_meta` with the type of the content. Text without it is a `string`. */
const TYPE_META = 'litemcp/type';

export function toMcpResult({ content, error }: CallResultResponse): CallToolResult {
  const result: CallToolResult = { content: content.map(toBlock) };
  if (error) result.isError = true;
  else if (content.length === 1) addStructured(result, content[0]!);
  return result;
}

export function fromMcpResult({ content, structuredContent, isError }: CallToolResult): CallResultResponse {
  const isStructured = structuredContent !== undefined;
  const error = isError === true;
  if (content.length === 0 && isStructured) return { content: [printValue(structuredContent)], error };
  const alone = content.length === 1;
  return { content: content.map((block) => fromBlock(block, alone && isStructured)), error };
}

/** A single value of a known type also becomes structured content, unless its text is invalid for the type or has too many values. */
function addStructured(result: CallToolResult, { type, data }: CallResultResponseContent): void {
  if (kindOf(type) === undefined) return;
  try {
    result.structuredContent = parserOf(type)(data, new ValueBudget(SHARED_MAX_FRAME_VALUES));
  } catch {
    // The model reads the text, as with LiteMCP.
  }
}

function toBlock({ type, data }: CallResultResponseContent): ContentBlock {
  const media = /^(image|audio)\/[\w.+-]+$/i.exec(type)?.[1]?.toLowerCase() as 'image' | 'audio' | undefined;
  if (media && isBase64(data)) return { type: media, data, mimeType: type };
  return type === 'string' ? { type: 'text', text: data } : { type: 'text', text: data, _meta: { [TYPE_META]: type } };
}

function fromBlock(block: ContentBlock, isStructured: boolean): CallResultResponseContent {
  switch (block.type) {
    case 'text':
      return { type: typeOfText(block.text, block._meta?.[TYPE_META], isStructured), data: block.text };
    case 'image':
    case 'audio':
      return { type: block.mimeType, data: block.data };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { type: resource.mimeType ?? 'string', data: resource.text };
      return { type: resource.mimeType ?? 'application/octet-stream', data: resource.blob };
    }
    default:
      // A link, or a block of a later revision: its type, and the block as JSON.
      return { type: (block as ContentBlock).type, data: requireJson(block) };
  }
}

/** The text beside structured content may be that content as JSON, or other text. */
function typeOfText(text: string, said: unknown, isStructured: boolean): string {
  if (typeof said === 'string') return said;
  if (!isStructured) return 'string';
  try {
    return printValue(parseValue('json', text)).type;
  } catch {
    return 'string';
  }
}

/** Searches for an invalid character, which allocates nothing, however long the data is. */
function isBase64(data: string): boolean {
  if (data === '' || data.length % 4 !== 0) return false;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  const wrong = data.search(/[^A-Za-z0-9+/]/);
  return wrong < 0 || wrong === data.length - padding;
}
