import { expect, test } from 'vitest';
import { type Definitions, definitionChanges } from './definition-change.ts';

const tool = {
  name: 'search',
  description: 'Searches',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true },
};
const lines = (before: Definitions, after: Definitions) =>
  definitionChanges(before, after).flatMap(({ what, name, kind, changes }) =>
    kind === 'changed'
      ? changes.map(({ path, effect }) => `${what} ${name} ${path}: ${effect}`)
      : `${what} ${name}: ${kind}`,
  );
const changed = (members: object) => lines({ tools: [tool] }, { tools: [{ ...tool, ...members }] });

test('equal definitions have no changes, whatever their order', () => {
  const other = { name: 'other', inputSchema: { type: 'object' } };
  expect(lines({ tools: [tool, other] }, { tools: [other, { ...tool }] })).toEqual([]);
});

test('added and removed entries of every list', () => {
  const after = {
    tools: [],
    prompts: [{ name: 'greet' }],
    resources: [{ uri: 'file:///a', name: 'a' }],
    resourceTemplates: [{ uriTemplate: 'file:///{name}', name: 't' }],
  };
  const before = { tools: [tool], prompts: [], resources: [], resourceTemplates: [] };
  expect(lines(before, after)).toEqual([
    'tool search: removed',
    'resource file:///a: added',
    'resource template file:///{name}: added',
    'prompt greet: added',
  ]);
});

test('a list that only one side has is not compared', () => {
  expect(lines({ tools: [tool] }, { prompts: [] })).toEqual([]);
});

test.each([
  ['a description', { description: 'Finds' }, 'description: wording'],
  [
    'a renamed argument',
    { inputSchema: { type: 'object', properties: { q: {} }, required: ['q'] } },
    'inputSchema.query: breaking',
  ],
  ['a lost permission', { annotations: {} }, 'annotations.readOnlyHint: breaking'],
  [
    'a new annotation',
    { annotations: { ...tool.annotations, openWorldHint: true } },
    'annotations.openWorldHint: compatible',
  ],
  ['an output schema', { outputSchema: { type: 'object' } }, 'outputSchema: compatible'],
])('%s', (_, members, line) => {
  expect(changed(members)).toContain(`tool search ${line}`);
});

test('a removed output schema is breaking', () => {
  const before = { tools: [{ ...tool, outputSchema: { type: 'object' } }] };
  expect(lines(before, { tools: [tool] })).toEqual(['tool search outputSchema: breaking']);
});

test('arguments of prompts are compared by name', () => {
  const prompt = (required: boolean) => ({ name: 'greet', arguments: [{ name: 'who', required }] });
  expect(lines({ prompts: [prompt(false)] }, { prompts: [prompt(true)] })).toEqual([
    'prompt greet arguments.who: breaking',
  ]);
});

test('instructions, info and capabilities of the server', () => {
  const before = {
    instructions: 'Use it',
    info: { name: 'a', version: '1' },
    capabilities: { tools: {}, prompts: {} },
  };
  const after = { instructions: 'Do', info: { name: 'a', version: '2' }, capabilities: { tools: {} } };
  expect(lines(before, after)).toEqual([
    'server  info: wording',
    'server  capabilities: breaking',
    'server  instructions: wording',
  ]);
});

test('entries of any form are compared or left out', () => {
  expect(
    lines({ tools: [null, 1, { name: 2 }, { name: '__proto__' }] }, { tools: [{ name: '__proto__', x: 1 }] }),
  ).toEqual(['tool __proto__ x: compatible']);
});
