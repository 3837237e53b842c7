// Blocks of content, in results of tools and messages of prompts, and the contents of resources.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { has, type Revision } from '../../../../mcp/revisions.ts';
import { contentBlocks, isObjectPart, objectEntriesOf, type Part, readContents, shapeRule } from './shape.ts';
import type { Survey } from './survey.ts';

const none = 'no tool or prompt gave content';
const membersOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
};

export const contentMembers = shapeRule({
  id: 'methods/content-blocks',
  level: 'MUST',
  title: 'give blocks of content their members',
  says: 'A block of content has a known type and the members of this type, such as `text`, or `data` and `mimeType`.',
  source: { of: 'mcp', page: 'server/tools#tool-result' },
  fix: {
    any: 'Return blocks of the types text, image, audio, resource_link and resource with their required members.',
  },
  parts: contentBlocks,
  none,
  ofCalls: () => true,
  problem: (block) => {
    if (!isObject(block)) return `is ${jsonKind(block)}`;
    const members =
      typeof block.type === 'string' && Object.hasOwn(membersOf, block.type) ? membersOf[block.type]! : undefined;
    if (!members) return `has the type ${JSON.stringify(block.type)}, which is not known`;
    const missing = members.find((member) => typeof block[member] !== 'string');
    if (missing) return `is of the type ${block.type} and ${wrongMember(block, missing)}`;
    if (block.type !== 'resource') return undefined;
    const wrong = contentsProblem(block.resource);
    return wrong && `embeds a resource that ${wrong}`;
  },
});

export const contentTypes = shapeRule({
  id: 'methods/content-types-of-the-revision',
  level: 'SHOULD',
  title: 'use only content types of the revision',
  says: 'Audio exists since 2025-03-26, links to resources since 2025-06-18. Clients of earlier revisions cannot read them.',
  source: { of: 'mcp', page: 'basic/lifecycle#operation' },
  fix: { any: 'Replace blocks that the revision of the session does not have by text.' },
  until: '2025-03-26',
  parts: contentBlocks,
  none,
  ofCalls: () => true,
  problem: (block, { revision }) => {
    const type = isObject(block) ? block.type : undefined;
    return isLater(type, revision) ? `has the type ${type}, which ${revision} does not have` : undefined;
  },
});

export const base64 = shapeRule({
  id: 'methods/binary-data-is-base64',
  level: 'MUST',
  title: 'encode binary data as base64',
  says: 'Images, audio and binary resources are encoded as base64.',
  source: { of: 'mcp', page: 'server/resources#security-considerations' },
  fix: {
    python: 'Use base64.b64encode(data).decode(), not urlsafe_b64encode or encodebytes.',
    node: "Use data.toString('base64'), not 'base64url'.",
    java: 'Use Base64.getEncoder(), not getUrlEncoder() or getMimeEncoder().',
    go: 'Use base64.StdEncoding, not URLEncoding or RawStdEncoding.',
    any: 'Use the standard alphabet of base64 with padding and without newlines.',
  },
  parts: (survey) => binaryData(survey),
  none: 'the server gave no binary data',
  problem: (data) => {
    if (isBase64(data)) return undefined;
    const problem = `has data that is not base64: ${JSON.stringify(data.slice(0, 40))}`;
    const [prefix] = /^data:[^,]{0,100},/.exec(data) ?? [];
    if (prefix === undefined) return problem;
    return { problem, fix: `Leave out the prefix \`${prefix}\`: \`mimeType\` has the type.` };
  },
});

export const annotations = shapeRule({
  id: 'methods/content-annotations',
  level: 'MUST',
  title: 'write annotations of content with their types',
  says: '`audience` lists "user" and "assistant", `priority` is a number from 0 to 1, `lastModified` is a string.',
  source: {
    of: 'mcp',
    page: 'server/resources#annotations',
    pages: { '2025-03-26': 'server/resources#resource', '2024-11-05': 'server/resources#resource' },
  },
  fix: { any: 'Write `priority` as a number from 0 to 1, and `audience` as a list of "user" and "assistant".' },
  parts: (survey) =>
    [
      ...objectEntriesOf(survey, 'resources', 'resourceTemplates'),
      ...contentBlocks(survey).filter(isObjectPart),
    ].filter(({ value }) => value.annotations !== undefined),
  none: 'no content, resource or template has annotations',
  problem: ({ annotations: given }) => {
    if (!isObject(given)) return `has annotations that are ${jsonKind(given)}`;
    const { audience, priority, lastModified } = given;
    const isAudience = Array.isArray(audience) && audience.every((role) => role === 'user' || role === 'assistant');
    if (audience !== undefined && !isAudience) return `has the audience ${JSON.stringify(audience)}`;
    const isPriority = typeof priority === 'number' && priority >= 0 && priority <= 1;
    if (priority !== undefined && !isPriority) return `has the priority ${JSON.stringify(priority)}`;
    if (lastModified === undefined || typeof lastModified === 'string') return undefined;
    return `has a lastModified that is ${jsonKind(lastModified)}`;
  },
});

/** What is wrong with the contents of a resource, as the rest of a sentence. Null is read as absent. */
export function contentsProblem(contents: unknown): string | undefined {
  if (!isObject(contents)) return `is ${jsonKind(contents)}`;
  const { uri, text, blob } = contents;
  if (typeof uri !== 'string') return wrongMember(contents, 'uri');
  const given = [text, blob].filter((each) => each !== undefined && each !== null);
  if (given.length === 0) return 'has neither text nor blob';
  const wrong = given.find((each) => typeof each !== 'string');
  return wrong === undefined ? undefined : `has contents that are ${jsonKind(wrong)}`;
}

function isLater(type: unknown, revision: Revision): boolean {
  return (
    (type === 'audio' && !has(revision, 'audioContent')) ||
    (type === 'resource_link' && !has(revision, 'resourceLinks'))
  );
}

function binaryData(survey: Survey): Part<string>[] {
  const blocks = contentBlocks(survey).filter(isObjectPart);
  const embedded = blocks.map((part) => ({ ...part, value: part.value.resource as JsonObject })).filter(isObjectPart);
  const candidates = [
    ...blocks
      .filter(({ value }) => value.type === 'image' || value.type === 'audio')
      .map((part) => dataOf(part, 'data')),
    ...[...embedded, ...readContents(survey).filter(isObjectPart)].map((part) => dataOf(part, 'blob')),
  ];
  return candidates.filter((part): part is Part<string> => typeof part.value === 'string');
}

function dataOf(part: Part<JsonObject>, member: string): Part {
  return { ...part, value: part.value[member] };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
