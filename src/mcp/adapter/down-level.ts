// Converts results for clients of older revisions: removes members that were added later, and rewrites content that the
// client would not understand. `_meta` and unknown members are kept, and a result that needs no change is returned
// unchanged. Results may come from any server, so their shape is not assumed.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { has, type Revision } from '../revisions.ts';
import type { Result } from '../service.ts';
import type { Implementation, ServerCapabilities } from '../types.ts';

type Patch = (revision: Revision, value: JsonObject) => JsonObject;

const patches = new Map<string, Patch>([
  ['tools/list', items('tools', toolFor)],
  ['resources/list', items('resources', titledFor)],
  ['resources/templates/list', items('resourceTemplates', titledFor)],
  ['prompts/list', items('prompts', titledFor)],
  ['prompts/get', items('messages', messageFor)],
  ['tools/call', toolResultFor],
]);

/** Converts a result for a client before 2026-07-28. */
export function resultFor(revision: Revision, method: string, result: Result): Result {
  if (!isObject(result)) return result;
  const legacy = result.resultType === undefined ? result : without(result, 'resultType', 'ttlMs', 'cacheScope');
  return patches.get(method)?.(revision, legacy) ?? legacy;
}

export function implementationFor(revision: Revision, info: Implementation): Implementation {
  if (has(revision, 'icons')) return info;
  const shown = without(info, 'icons', 'websiteUrl', 'description');
  return has(revision, 'titles') ? shown : without(shown, 'title');
}

export function capabilitiesFor(revision: Revision, capabilities: ServerCapabilities): ServerCapabilities {
  return has(revision, 'completionsCapability') ? capabilities : without(capabilities, 'completions');
}

/** Converts resources, templates and prompts. */
function titledFor(revision: Revision, item: JsonObject): JsonObject {
  if (has(revision, 'icons')) return item;
  return has(revision, 'titles') ? without(item, 'icons') : without(item, 'icons', 'title');
}

function toolFor(revision: Revision, tool: JsonObject): JsonObject {
  const shown = titledFor(revision, tool);
  if (has(revision, 'structuredContent')) return withObjectSchema(shown);
  if (!has(revision, 'toolAnnotations')) return without(shown, 'outputSchema', 'annotations');
  const { title } = tool;
  const annotated =
    title === undefined ? shown : { ...shown, annotations: { title, ...(tool.annotations as object | undefined) } };
  return without(annotated, 'outputSchema');
}

/** Before 2026-07-28 structured content had to be an object: anything else is wrapped as `{ result: … }`. */
function withObjectSchema(tool: JsonObject): JsonObject {
  const schema = tool.outputSchema;
  if (!isObject(schema) || schema.type === 'object') return tool;
  const { $schema, $defs, ...rest } = schema;
  const outputSchema = {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: rest },
    required: ['result'],
    ...($defs === undefined ? {} : { $defs }),
  };
  return { ...tool, outputSchema };
}

function toolResultFor(revision: Revision, result: JsonObject): JsonObject {
  const { structuredContent } = result;
  if (has(revision, 'structuredContent')) {
    if (structuredContent === undefined || isObject(structuredContent)) return result;
    return { ...result, structuredContent: { result: structuredContent } };
  }
  return without(patchItems(revision, result, 'content', contentFor), 'structuredContent');
}

function messageFor(revision: Revision, message: JsonObject): JsonObject {
  if (!isObject(message.content)) return message;
  const content = contentFor(revision, message.content);
  return content === message.content ? message : { ...message, content };
}

function contentFor(revision: Revision, block: JsonObject): JsonObject {
  const { type, title, name, uri, mimeType, data } = block;
  if (type === 'resource_link' && !has(revision, 'resourceLinks')) {
    return { type: 'text', text: `${title ?? name}: ${uri}` };
  }
  if (type === 'audio' && !has(revision, 'audioContent')) {
    return { type: 'text', text: `[audio, ${mimeType}, ${String(data).length} characters of base64]` };
  }
  return block;
}

function items(key: string, patch: Patch): Patch {
  return (revision, result) => patchItems(revision, result, key, patch);
}

/** Copies the list, and the object that holds it, only if an item changes. */
function patchItems(revision: Revision, holder: JsonObject, key: string, patch: Patch): JsonObject {
  const list = holder[key];
  if (!Array.isArray(list)) return holder;
  let shown: unknown[] = list;
  for (let at = 0; at < list.length; at++) {
    const item: unknown = list[at];
    const patched = isObject(item) ? patch(revision, item) : item;
    if (patched === item) continue;
    if (shown === list) shown = [...list];
    shown[at] = patched;
  }
  return shown === list ? holder : { ...holder, [key]: shown };
}

function without<T extends object>(value: T, ...names: string[]): T {
  if (!names.some((name) => name in value)) return value;
  const shown: Partial<Record<string, unknown>> = { ...value };
  for (const name of names) delete shown[name];
  return shown as T;
}
