// What a peer of an older revision may see: newer members are left out, and what it could not understand is said in a way
// that it can. Only the outgoing side of a server knows this file.

import { isObject } from '../base/json-object.ts';
import { has, type Revision } from './revisions.ts';
import type {
  CallToolResult,
  ContentBlock,
  Implementation,
  JsonSchema,
  Prompt,
  PromptMessage,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from './types.ts';

export function toolFor(revision: Revision, tool: Tool): Tool {
  const { name, title, description, icons, inputSchema, outputSchema, annotations, _meta } = tool;
  const shown: Tool = { name, inputSchema };
  if (description !== undefined) shown.description = description;
  if (annotations && has(revision, 'toolAnnotations')) shown.annotations = annotations;
  if (has(revision, 'titles')) {
    if (title !== undefined) shown.title = title;
    if (_meta) shown._meta = _meta;
  } else if (title !== undefined && has(revision, 'toolAnnotations')) {
    shown.annotations = { title, ...annotations };
  }
  if (outputSchema && has(revision, 'structuredContent')) shown.outputSchema = outputSchemaFor(revision, outputSchema);
  if (icons && has(revision, 'icons')) shown.icons = icons;
  return shown;
}

/** Before 2026-07-28 structured content had to be an object: anything else is wrapped as `{ result: … }`. */
function outputSchemaFor(revision: Revision, schema: JsonSchema): JsonSchema {
  if (schema.type === 'object' || has(revision, 'anyStructuredContent')) return schema;
  const { $schema, $defs, ...rest } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: rest },
    required: ['result'],
    ...($defs === undefined ? {} : { $defs }),
  };
}

export function toolResultFor(revision: Revision, result: CallToolResult): CallToolResult {
  if (has(revision, 'anyStructuredContent')) return result;
  const shown = { ...result, content: contentFor(revision, result.content) };
  if (!has(revision, 'structuredContent')) delete shown.structuredContent;
  else if (shown.structuredContent !== undefined && !isObject(shown.structuredContent)) {
    shown.structuredContent = { result: shown.structuredContent };
  }
  return shown;
}

export function contentFor(revision: Revision, content: ContentBlock[]): ContentBlock[] {
  if (has(revision, 'resourceLinks')) return content;
  return content.map((block) => blockFor(revision, block));
}

function blockFor(revision: Revision, block: ContentBlock): ContentBlock {
  if (block.type === 'resource_link') return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  if (block.type === 'audio' && !has(revision, 'audioContent')) {
    return { type: 'text', text: `[audio, ${block.mimeType}, ${block.data.length} characters of base64]` };
  }
  return block;
}

export function promptMessagesFor(revision: Revision, messages: PromptMessage[]): PromptMessage[] {
  if (has(revision, 'resourceLinks')) return messages;
  return messages.map((message) => ({ ...message, content: blockFor(revision, message.content) }));
}

/** Resources, templates, prompts and implementations: titles and icons came later than the rest. */
export function titledFor<T extends Resource | ResourceTemplate | Prompt | Implementation>(
  revision: Revision,
  item: T,
): T {
  if (has(revision, 'icons')) return item;
  const { icons: _icons, ...shown } = item as T & { icons?: unknown; title?: string; _meta?: unknown };
  if ('websiteUrl' in shown) delete (shown as Partial<Implementation>).websiteUrl;
  if ('version' in shown) delete (shown as Partial<Implementation>).description;
  if (!has(revision, 'titles')) {
    delete shown.title;
    delete shown._meta;
  }
  return shown as T;
}

export function capabilitiesFor(revision: Revision, capabilities: ServerCapabilities): ServerCapabilities {
  if (has(revision, 'completionsCapability')) return capabilities;
  const { completions: _completions, ...shown } = capabilities;
  return shown;
}
