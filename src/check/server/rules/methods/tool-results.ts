// What a tool gives back.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { listIn } from './exchange.ts';
import { misfit } from './json-schemas.ts';
import { shapeRule, toolResults } from './shape.ts';
import type { Survey } from './survey.ts';

const hasSchema = ({ outputSchema }: JsonObject) => outputSchema !== undefined;

export const resultContent = shapeRule({
  id: 'methods/tool-results',
  level: 'MUST',
  title: 'return a list of content from a tool',
  says: 'The result of a call has `content`, a list that may be empty. `isError` is a boolean.',
  source: { of: 'mcp', page: 'server/tools#tool-result' },
  fix: {
    any: 'Return `{"content": [{"type": "text", "text": …}]}`, also beside structured content. `isError` is true or false, not a string.',
  },
  parts: toolResults,
  none: 'no call gave a result',
  ofCalls: () => true,
  problem: ({ result }) => {
    const { content, isError } = result;
    if (!Array.isArray(content)) return wrongMember(result, 'content');
    return isError === undefined || typeof isError === 'boolean'
      ? undefined
      : `has an isError that is ${jsonKind(isError)}`;
  },
});

export const structuredOutputIsPresent = shapeRule({
  id: 'methods/structured-output-is-present',
  level: 'MUST',
  title: 'return structured content from a tool with an output schema',
  says: 'A tool that has an `outputSchema` gives structured results, unless the call failed.',
  source: { of: 'mcp', page: 'server/tools#output-schema' },
  fix: { any: 'Return `structuredContent`, or leave out the `outputSchema`.' },
  since: '2025-06-18',
  parts: (survey) => withSchema(survey).filter(({ value }) => value.result.isError !== true),
  none: 'no tool that has an outputSchema succeeded',
  ofCalls: hasSchema,
  problem: ({ result }) => (result.structuredContent === undefined ? 'has no structuredContent' : undefined),
});

export const structuredOutputFits = shapeRule({
  id: 'methods/structured-output-fits',
  level: 'MUST',
  title: 'return structured content that fits the output schema',
  says: 'The structured content of a result conforms to the `outputSchema` of the tool.',
  source: { of: 'mcp', page: 'server/tools#output-schema' },
  fix: { any: 'Validate the result against the schema before it is sent, or correct the schema.' },
  since: '2025-06-18',
  parts: (survey) =>
    withSchema(survey).filter(
      ({ value: { result } }) => result.isError !== true && result.structuredContent !== undefined,
    ),
  none: 'no tool that has an outputSchema gave structured content',
  ofCalls: hasSchema,
  problem: async ({ result, call }, { era }) => {
    const { outputSchema } = call.call.tool;
    // A value that is no object is the subject of methods/structured-content-is-an-object.
    if (!isObject(outputSchema) || (era === 'legacy' && !isObject(result.structuredContent))) return undefined;
    const wrong = await misfit(outputSchema, result.structuredContent);
    return wrong && `has a structuredContent that does not fit its outputSchema: ${wrong}`;
  },
});

export const structuredContentIsAnObject = shapeRule({
  id: 'methods/structured-content-is-an-object',
  level: 'MUST',
  title: 'return structured content as an object',
  says: 'Before 2026-07-28, structured content is a JSON object.',
  source: { of: 'mcp', page: 'server/tools#structured-content' },
  fix: { any: 'Wrap a list or a value in an object, such as `{"result": …}`.' },
  since: '2025-06-18',
  until: '2025-11-25',
  parts: withStructure,
  none: 'no tool that may be called gave structured content',
  ofCalls: hasSchema,
  problem: ({ result: { structuredContent } }) =>
    isObject(structuredContent) ? undefined : `has a structuredContent that is ${jsonKind(structuredContent)}`,
});

export const structuredContentAsText = shapeRule({
  id: 'methods/structured-content-as-text',
  level: 'SHOULD',
  title: 'return structured content as text too',
  says: 'A tool that returns structured content also returns it in a text block, for clients that know only those.',
  source: { of: 'mcp', page: 'server/tools#structured-content' },
  fix: { any: 'Put the JSON of the structured content into a text block of `content`.' },
  since: '2025-06-18',
  parts: withStructure,
  none: 'no tool that may be called gave structured content',
  ofCalls: hasSchema,
  problem: ({ result }) =>
    Array.isArray(result.content) &&
    !listIn(result, 'content').some((block) => isObject(block) && block.type === 'text')
      ? 'has structuredContent and no text block'
      : undefined,
});

function withSchema(survey: Survey) {
  return toolResults(survey).filter(({ value }) => value.call.call.tool.outputSchema !== undefined);
}

function withStructure(survey: Survey) {
  return toolResults(survey).filter(({ value }) => value.result.structuredContent !== undefined);
}
