// What a tool says about itself in the list.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { before } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import { proofOf } from './exchange.ts';
import { schemaProblem } from './json-schemas.ts';
import { entriesOf, objectEntriesOf, type Part, shapeRule } from './shape.ts';
import { type Survey, surveyOf } from './survey.ts';

const none = 'the server has no tools';
/** For both schemas of a tool. */
const DIALECT =
  'Without `$schema` it is of 2020-12: `required` is a list of names beside `properties`, not true inside a property, and `exclusiveMinimum` is a number. A schema of draft-07 names it in `$schema`; write older ones anew.';

export const toolEntries = shapeRule({
  id: 'methods/tool-entries',
  level: 'MUST',
  title: 'give each tool a name and an input schema',
  says: 'Each tool has a name and an `inputSchema`, a JSON Schema of the type object, also if it takes no arguments.',
  source: { of: 'mcp', page: 'server/tools#tool' },
  fix: {
    any: 'Give each tool a `name` and an `inputSchema`, with these spellings; `{"type": "object"}` if it takes no arguments.',
  },
  parts: (survey) => entriesOf(survey, 'tools'),
  none,
  problem: (tool) => {
    if (!isObject(tool)) return `is ${jsonKind(tool)}`;
    if (typeof tool.name !== 'string') return wrongMember(tool, 'name');
    if (!isObject(tool.inputSchema)) return wrongMember(tool, 'inputSchema');
    return tool.inputSchema.type === 'object' ? undefined : 'has an inputSchema that is not of the type object';
  },
});

export const toolNames = shapeRule({
  id: 'methods/tool-names',
  level: 'SHOULD',
  title: 'use short tool names of simple characters',
  says: 'The name of a tool has 1 to 128 characters: ASCII letters, digits, underscore, hyphen and dot.',
  source: { of: 'mcp', page: 'server/tools#tool-names' },
  fix: { any: 'Rename the tool. A name for people belongs into `title`.' },
  since: '2025-11-25',
  parts: (survey) => objectEntriesOf(survey, 'tools'),
  none,
  problem: ({ name }) =>
    typeof name !== 'string' || /^[\w.-]{1,128}$/.test(name)
      ? undefined
      : 'has a name of more than 128 characters, or with characters other than letters, digits, "_", "-" and "."',
});

export const toolAnnotations = shapeRule({
  id: 'methods/tool-annotations',
  level: 'MUST',
  title: 'write tool annotations with their types',
  says: 'The annotations of a tool are an object: `title` is a string, the hints are booleans.',
  source: { of: 'mcp', page: 'server/tools#tool' },
  fix: { any: 'Write the hints as true or false, and leave out those that are not known.' },
  since: '2025-03-26',
  parts: (survey) => objectEntriesOf(survey, 'tools').filter(({ value }) => value.annotations !== undefined),
  none: 'no tool has annotations',
  problem: ({ annotations }) => {
    if (!isObject(annotations)) return `has annotations that are ${jsonKind(annotations)}`;
    const { title } = annotations;
    if (title !== undefined && typeof title !== 'string') return `has an annotation title that is ${jsonKind(title)}`;
    const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
    const wrong = hints.find((hint) => annotations[hint] !== undefined && typeof annotations[hint] !== 'boolean');
    return wrong && `has a ${wrong} that is ${jsonKind(annotations[wrong])}`;
  },
});

export const inputSchemas = shapeRule({
  id: 'methods/input-schemas',
  level: 'MUST',
  levels: before('2025-11-25', 'ADVICE'),
  title: 'use valid JSON Schemas for input',
  says: 'The `inputSchema` of a tool is a valid JSON Schema, of 2020-12 unless `$schema` names another dialect.',
  source: {
    of: 'mcp',
    page: 'server/tools#tool',
    pages: { '2026-07-28': 'basic/index#schema-validation', '2025-11-25': 'basic/index#schema-validation' },
  },
  fix: { any: `Check the schema with a validator. ${DIALECT}` },
  parts: (survey) => objectEntriesOf(survey, 'tools').filter(({ value }) => isObject(value.inputSchema)),
  none,
  problem: async ({ inputSchema }, { revision }) => {
    const wrong = await schemaProblem(inputSchema as JsonObject, revision);
    return wrong && `has an inputSchema that is not valid: ${wrong}`;
  },
});

const WRAP =
  'Wrap the list or the value in an object, in the schema and in `structuredContent`: `{"type": "object", "properties": {"result": …}}`. If it is an object already, add `"type": "object"`.';

export const outputSchemas = shapeRule({
  id: 'methods/output-schemas',
  level: 'MUST',
  title: 'use valid JSON Schemas for output',
  says: 'The `outputSchema` of a tool is a valid JSON Schema. Before 2026-07-28 it is of the type object.',
  source: {
    of: 'mcp',
    page: 'server/tools#output-schema',
    pages: { '2026-07-28': 'basic/index#schema-validation', '2025-11-25': 'basic/index#schema-validation' },
  },
  fix: { any: `Check the schema with a validator. ${DIALECT} Before 2026-07-28, wrap a list or a value in an object.` },
  since: '2025-06-18',
  parts: (survey) => objectEntriesOf(survey, 'tools').filter(({ value }) => value.outputSchema !== undefined),
  none: 'no tool has an outputSchema',
  problem: async ({ outputSchema }, { revision, era }) => {
    if (!isObject(outputSchema)) return `has an outputSchema that is ${jsonKind(outputSchema)}`;
    if (era === 'legacy' && outputSchema.type !== 'object')
      return { problem: 'has an outputSchema that is not of the type object', fix: WRAP };
    const wrong = await schemaProblem(outputSchema, revision);
    return wrong && `has an outputSchema that is not valid: ${wrong}`;
  },
});

export const toolNamesAreUnique: ServerRule = {
  id: 'methods/tool-names-are-unique',
  level: 'SHOULD',
  levels: before('2025-11-25', 'ADVICE'),
  title: 'not give two tools the same name',
  says: 'The name identifies a tool: it is unique within a server.',
  source: {
    of: 'mcp',
    page: 'server/tools#tool',
    pages: { '2026-07-28': 'server/tools#tool-names', '2025-11-25': 'server/tools#tool-names' },
  },
  fix: { any: 'Rename one of the tools.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => unique(await surveyOf(ruleRun), 'tools', 'name', none),
};

/** The same entry on two pages is the subject of `methods/pages-do-not-overlap`. */
export function unique(survey: Survey, member: 'tools' | 'resources' | 'prompts', key: string, nothing: string): void {
  const entries = objectEntriesOf(survey, member).filter(({ value }) => typeof value[key] === 'string');
  if (entries.length === 0) notApplicable(nothing);
  const byKey = new Map<unknown, Part<JsonObject>>();
  for (const entry of entries) {
    const { value, what, exchange } = entry;
    const before = byKey.get(value[key]);
    const isRepeatedPage = before?.exchange !== exchange && JSON.stringify(before?.value) === JSON.stringify(value);
    if (before && !isRepeatedPage) {
      violation(`${what} is in the list twice.`, ...new Set([...proofOf(before.exchange), ...proofOf(exchange)]));
    }
    byKey.set(value[key], entry);
  }
}
