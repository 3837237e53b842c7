// Rules about the entries of `tools/list`.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { before } from '../../../rule.ts';
import { mcp } from '../../../sources.ts';
import { serverRows } from '../../server-rule.ts';
import { schemaProblem } from './json-schemas.ts';
import { entriesOf, objectEntriesOf, shapeRule, unique } from './shape.ts';

const none = 'the server has no tools';
const validation = 'basic/index#schema-validation';
const names = 'server/tools#tool-names';
const DIALECT =
  'Without `$schema` the dialect is 2020-12: `required` is a list of names beside `properties`, not true inside a property, and `exclusiveMinimum` is a number. A draft-07 schema names its dialect in `$schema`; convert older schemas.';
const WRAP =
  'Wrap the list or the value in an object, in the schema and in `structuredContent`: `{"type": "object", "properties": {"result": …}}`. If it is an object already, add `"type": "object"`.';

export const toolEntryRules = serverRows({ runs: 'each revision', uses: 'shared' }, [
  shapeRule({
    id: 'methods/tool-entries',
    level: 'MUST',
    title: 'give each tool a name and an input schema',
    says: 'Each tool has a name and an `inputSchema`, a JSON Schema of the type object, even if it takes no arguments.',
    source: mcp('server/tools#tool'),
    fix: 'Give each tool a `name` and an `inputSchema`, with these spellings; use `{"type": "object"}` if it takes no arguments.',
    parts: (survey) => entriesOf(survey, 'tools'),
    none,
    problem: (tool) => {
      if (!isObject(tool)) return `is ${jsonKind(tool)}`;
      if (typeof tool.name !== 'string') return wrongMember(tool, 'name');
      if (!isObject(tool.inputSchema)) return wrongMember(tool, 'inputSchema');
      return tool.inputSchema.type === 'object' ? undefined : 'has an inputSchema that is not of the type object';
    },
  }),
  shapeRule({
    id: 'methods/tool-names',
    level: 'SHOULD',
    title: 'use tool names of at most 128 simple characters',
    says: 'The name of a tool has 1 to 128 characters: ASCII letters, digits, underscore, hyphen and dot.',
    source: mcp(names),
    fix: 'Rename the tool. Put the name for users into `title`.',
    since: '2025-11-25',
    parts: (survey) => objectEntriesOf(survey, 'tools'),
    none,
    problem: ({ name }) =>
      typeof name !== 'string' || /^[\w.-]{1,128}$/.test(name)
        ? undefined
        : 'has a name of more than 128 characters, or with characters other than letters, digits, "_", "-" and "."',
  }),
  {
    id: 'methods/tool-names-are-unique',
    level: 'SHOULD',
    levels: before('2025-11-25', 'ADVICE'),
    title: 'not give two tools the same name',
    says: 'The name identifies a tool: it is unique within a server.',
    source: mcp('server/tools#tool', { '2026-07-28': names, '2025-11-25': names }),
    fix: 'Rename one of the tools.',
    check: (ruleRun) => unique(ruleRun, 'tools', 'name', none),
  },
  shapeRule({
    id: 'methods/input-schemas',
    level: 'MUST',
    levels: before('2025-11-25', 'ADVICE'),
    title: 'use valid JSON Schemas for input',
    says: 'The `inputSchema` of a tool is a valid JSON Schema, of 2020-12 unless `$schema` names another dialect.',
    source: mcp('server/tools#tool', { '2026-07-28': validation, '2025-11-25': validation }),
    fix: `Check the schema with a validator. ${DIALECT}`,
    parts: (survey) => objectEntriesOf(survey, 'tools').filter(({ value }) => isObject(value.inputSchema)),
    none,
    problem: async ({ inputSchema }, { revision }) => {
      const wrong = await schemaProblem(inputSchema as JsonObject, revision);
      return wrong && `has an inputSchema that is not valid: ${wrong}`;
    },
  }),
  shapeRule({
    id: 'methods/output-schemas',
    level: 'MUST',
    title: 'use valid JSON Schemas for output',
    says: 'The `outputSchema` of a tool is a valid JSON Schema. Before 2026-07-28 it is of the type object.',
    source: mcp('server/tools#output-schema', { '2026-07-28': validation, '2025-11-25': validation }),
    fix: `Check the schema with a validator. ${DIALECT} Before 2026-07-28, wrap a list or a value in an object.`,
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
  }),
  shapeRule({
    id: 'methods/tool-annotations',
    level: 'MUST',
    title: 'write tool annotations with the right types',
    says: 'The annotations of a tool are an object: `title` is a string, and the hints are booleans.',
    source: mcp('server/tools#tool'),
    fix: 'Write the hints as true or false, and leave out unknown ones.',
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
  }),
]);
