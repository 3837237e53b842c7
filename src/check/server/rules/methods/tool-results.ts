// Rules about the results of tools and about blocks of content in results of tools, messages of prompts and resources.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { has, type Revision } from '../../../../mcp/revisions.ts';
import { mcp } from '../../../sources.ts';
import { listIn } from './exchange.ts';
import { misfit } from './json-schemas.ts';
import {
  contentBlocks,
  isObjectPart,
  objectEntriesOf,
  type Part,
  readContents,
  shapeRule,
  toolResults,
} from './shape.ts';
import type { Survey } from './survey.ts';

const none = 'no tool or prompt returned content';
const noStructure = 'no tool that may be called returned structured content';
const hasSchema = ({ outputSchema }: JsonObject) => outputSchema !== undefined;

/** Required members by content type. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
};

export const toolResultRules = [
  shapeRule({
    id: 'methods/tool-results',
    level: 'MUST',
    title: 'return a list of content from a tool',
    says: 'The result of a call has `content`, a list that may be empty. `isError` is a boolean.',
    source: mcp('server/tools#tool-result'),
    fix: 'Return `{"content": [{"type": "text", "text": …}]}`, even beside structured content. `isError` is true or false, not a string.',
    parts: toolResults,
    none: 'no call returned a result',
    ofCalls: () => true,
    problem: ({ result }) => {
      const { content, isError } = result;
      if (!Array.isArray(content)) return wrongMember(result, 'content');
      return isError === undefined || typeof isError === 'boolean'
        ? undefined
        : `has an isError that is ${jsonKind(isError)}`;
    },
  }),
  shapeRule({
    id: 'methods/structured-output-is-present',
    level: 'MUST',
    title: 'return structured content from a tool with an output schema',
    says: 'A tool with an `outputSchema` returns structured results, unless the call failed.',
    source: mcp('server/tools#output-schema'),
    fix: 'Return `structuredContent`, or leave out the `outputSchema`.',
    since: '2025-06-18',
    parts: (survey) => withSchema(survey).filter(({ value }) => value.result.isError !== true),
    none: 'no tool with an outputSchema succeeded',
    ofCalls: hasSchema,
    problem: ({ result }) => (result.structuredContent === undefined ? 'has no structuredContent' : undefined),
  }),
  shapeRule({
    id: 'methods/structured-output-fits',
    level: 'MUST',
    title: 'return structured content that conforms to the output schema',
    says: 'The structured content of a result conforms to the `outputSchema` of the tool.',
    source: mcp('server/tools#output-schema'),
    fix: 'Validate the result against the schema before you send it, or correct the schema.',
    since: '2025-06-18',
    parts: (survey) =>
      withSchema(survey).filter(
        ({ value: { result } }) => result.isError !== true && result.structuredContent !== undefined,
      ),
    none: 'no tool with an outputSchema returned structured content',
    ofCalls: hasSchema,
    problem: async ({ result, call }, { era }) => {
      const { outputSchema } = call.call.tool;
      // methods/structured-content-is-an-object reports a value that is not an object.
      if (!isObject(outputSchema) || (era === 'legacy' && !isObject(result.structuredContent))) return undefined;
      const wrong = await misfit(outputSchema, result.structuredContent);
      return wrong && `has a structuredContent that does not conform to its outputSchema: ${wrong}`;
    },
  }),
  shapeRule({
    id: 'methods/structured-content-is-an-object',
    level: 'MUST',
    title: 'return structured content as an object',
    says: 'Before 2026-07-28, structured content is a JSON object.',
    source: mcp('server/tools#structured-content'),
    fix: 'Wrap a list or a value in an object, such as `{"result": …}`.',
    since: '2025-06-18',
    until: '2025-11-25',
    parts: withStructure,
    none: noStructure,
    ofCalls: hasSchema,
    problem: ({ result: { structuredContent } }) =>
      isObject(structuredContent) ? undefined : `has a structuredContent that is ${jsonKind(structuredContent)}`,
  }),
  shapeRule({
    id: 'methods/structured-content-as-text',
    level: 'SHOULD',
    title: 'return structured content as text too',
    says: 'A tool that returns structured content also returns it in a text block, for clients without support for structured content.',
    source: mcp('server/tools#structured-content'),
    fix: 'Put the JSON of the structured content into a text block of `content`.',
    since: '2025-06-18',
    parts: withStructure,
    none: noStructure,
    ofCalls: hasSchema,
    problem: ({ result }) =>
      Array.isArray(result.content) &&
      !listIn(result, 'content').some((block) => isObject(block) && block.type === 'text')
        ? 'has structuredContent and no text block'
        : undefined,
  }),
  shapeRule({
    id: 'methods/content-blocks',
    level: 'MUST',
    title: 'give blocks of content their required members',
    says: 'A block of content has a known type and the members of this type, such as `text`, or `data` and `mimeType`.',
    source: mcp('server/tools#tool-result'),
    fix: 'Return blocks of the types text, image, audio, resource_link and resource with their required members.',
    parts: contentBlocks,
    none,
    ofCalls: () => true,
    problem: (block) => {
      if (!isObject(block)) return `is ${jsonKind(block)}`;
      const members =
        typeof block.type === 'string' && Object.hasOwn(membersOf, block.type) ? membersOf[block.type]! : undefined;
      if (!members) return `has the unknown type ${JSON.stringify(block.type)}`;
      const missing = members.find((member) => typeof block[member] !== 'string');
      if (missing) return `is of the type ${block.type} and ${wrongMember(block, missing)}`;
      if (block.type !== 'resource') return undefined;
      const wrong = contentsProblem(block.resource);
      return wrong && `embeds a resource that ${wrong}`;
    },
  }),
  shapeRule({
    id: 'methods/content-types-of-the-revision',
    level: 'SHOULD',
    title: 'use only content types of the revision',
    says: 'Audio exists since 2025-03-26, links to resources since 2025-06-18. Clients of earlier revisions cannot read them.',
    source: mcp('basic/lifecycle#operation'),
    fix: 'Replace blocks that the negotiated revision does not have by text.',
    until: '2025-03-26',
    parts: contentBlocks,
    none,
    ofCalls: () => true,
    problem: (block, { revision }) => {
      const type = isObject(block) ? block.type : undefined;
      return isLater(type, revision) ? `has the type ${type}, which ${revision} does not have` : undefined;
    },
  }),
  shapeRule({
    id: 'methods/binary-data-is-base64',
    level: 'MUST',
    title: 'encode binary data as base64',
    says: 'Images, audio and binary resources are encoded as base64.',
    source: mcp('server/resources#security-considerations'),
    fix: {
      python: 'Use base64.b64encode(data).decode(), not urlsafe_b64encode or encodebytes.',
      node: "Use data.toString('base64'), not 'base64url'.",
      java: 'Use Base64.getEncoder(), not getUrlEncoder() or getMimeEncoder().',
      go: 'Use base64.StdEncoding, not URLEncoding or RawStdEncoding.',
      any: 'Use the standard alphabet of base64 with padding and without newlines.',
    },
    parts: binaryData,
    none: 'the server sent no binary data',
    problem: (data) => {
      if (isBase64(data)) return undefined;
      const problem = `has data that is not base64: ${JSON.stringify(data.slice(0, 40))}`;
      const [prefix] = /^data:[^,]{0,100},/.exec(data) ?? [];
      if (prefix === undefined) return problem;
      return { problem, fix: `Leave out the prefix \`${prefix}\`: \`mimeType\` has the type.` };
    },
  }),
  shapeRule({
    id: 'methods/content-annotations',
    level: 'MUST',
    title: 'write annotations of content with the right types',
    says: '`audience` lists "user" and "assistant", `priority` is a number from 0 to 1, and `lastModified` is a string.',
    source: mcp('server/resources#annotations', {
      '2025-03-26': 'server/resources#resource',
      '2024-11-05': 'server/resources#resource',
    }),
    fix: 'Write `priority` as a number from 0 to 1, and `audience` as a list of "user" and "assistant".',
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
  }),
];

/** The fault of the contents of a resource, as the rest of a sentence. Null counts as absent. */
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

function withSchema(survey: Survey) {
  return toolResults(survey).filter(({ value }) => hasSchema(value.call.call.tool));
}

function withStructure(survey: Survey) {
  return toolResults(survey).filter(({ value }) => value.result.structuredContent !== undefined);
}
