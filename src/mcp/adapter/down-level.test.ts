import { expect, test } from 'vitest';
import type { Revision } from '../revisions.ts';
import { capabilitiesFor, implementationFor, resultFor } from './down-level.ts';

const extra = { _meta: { 'com.example/a': 1 }, 'com.example/b': [null] };
const icons = [{ src: 'data:,' }];
const keys = (value: unknown) => Object.keys(value as object).sort();
const added = (revision: Revision, method: string, key: string, item: object) => {
  const result = resultFor(revision, method, { [key]: [{ ...item, ...extra }], ...extra });
  expect(result).toMatchObject(extra);
  const [shown] = result[key] as Record<string, unknown>[];
  expect(shown).toMatchObject(extra);
  return keys(shown).filter((name) => !(name in extra));
};

test.each([
  ['2025-11-25', ['annotations', 'icons', 'inputSchema', 'name', 'outputSchema', 'title']],
  ['2025-06-18', ['annotations', 'inputSchema', 'name', 'outputSchema', 'title']],
  ['2025-03-26', ['annotations', 'inputSchema', 'name']],
  ['2024-11-05', ['inputSchema', 'name']],
] as const)('a tool of %s has the known members %j and all unknown ones', (revision, known) => {
  const inputSchema = { type: 'object' };
  const tool = { name: 't', title: 'T', icons, inputSchema, outputSchema: inputSchema, annotations: {} };
  expect(added(revision, 'tools/list', 'tools', tool)).toEqual(known);
});

test('the title of a tool is an annotation in 2025-03-26, unless it has one', () => {
  const shown = (tool: object) => resultFor('2025-03-26', 'tools/list', { tools: [{ title: 'T', ...tool }] }).tools;
  expect(shown({})).toEqual([{ annotations: { title: 'T' } }]);
  expect(shown({ annotations: { title: 'A' } })).toEqual([{ annotations: { title: 'A' } }]);
});

test.each([
  ['2025-11-25', ['icons', 'name', 'title']],
  ['2025-06-18', ['name', 'title']],
  ['2025-03-26', ['name']],
] as const)('a resource, template or prompt of %s has %j', (revision, known) => {
  const item = { name: 'n', title: 'N', icons };
  expect(added(revision, 'resources/list', 'resources', item)).toEqual(known);
  expect(added(revision, 'resources/templates/list', 'resourceTemplates', item)).toEqual(known);
  expect(added(revision, 'prompts/list', 'prompts', item)).toEqual(known);
});

test('does not copy unchanged values', () => {
  const result = { tools: [{ name: 't', inputSchema: {}, outputSchema: { type: 'object' } }] };
  expect(resultFor('2025-06-18', 'tools/list', result)).toBe(result);
  const called = { content: [{ type: 'text' }], structuredContent: {} };
  expect(resultFor('2025-06-18', 'tools/call', called)).toBe(called);
});

test('a result of 2026-07-28 loses members that only this revision has, and one of an older server keeps all', () => {
  const hints = { ttlMs: 5, cacheScope: 'public' };
  expect(resultFor('2025-11-25', 'com.example/any', { resultType: 'complete', ...hints, a: 1 })).toEqual({ a: 1 });
  expect(resultFor('2025-11-25', 'com.example/any', { ...hints })).toEqual(hints);
});

test('content that the revision lacks becomes text', () => {
  const content = [
    { type: 'resource_link', uri: 'a:b', name: 'b' },
    { type: 'audio', mimeType: 'audio/wav', data: 'aaaa' },
    { type: 'com.example/new', value: 1 },
  ];
  const called = (revision: Revision) =>
    resultFor(revision, 'tools/call', { content, structuredContent: [1], ...extra });
  expect(called('2025-06-18')).toEqual({ content, structuredContent: { result: [1] }, ...extra });
  const link = { type: 'text', text: 'b: a:b' };
  expect(called('2025-03-26')).toEqual({ content: [link, content[1], content[2]], ...extra });
  const audio = { type: 'text', text: '[audio, audio/wav, 4 characters of base64]' };
  expect(called('2024-11-05')).toEqual({ content: [link, audio, content[2]], ...extra });
  const messages = content.map((block) => ({ role: 'user', content: block, ...extra }));
  expect(resultFor('2025-03-26', 'prompts/get', { messages })).toMatchObject({
    messages: [{ content: link, ...extra }, { content: content[1] }, { content: content[2] }],
  });
});

test.each([null, 7, 'text', [], {}, { tools: 7 }, { tools: [null, 7, 'text'] }, { content: {} }, { messages: [{}] }])(
  'a result of another shape passes unchanged: %j',
  (result) => {
    for (const method of ['tools/list', 'tools/call', 'prompts/get', 'constructor']) {
      expect(resultFor('2024-11-05', method, result as never)).toBe(result);
    }
  },
);

test('converts the description and capabilities of a server to the revision', () => {
  const info = { name: 'n', version: '1', title: 'N', description: 'd', websiteUrl: 'u', icons };
  expect(keys(implementationFor('2025-06-18', info))).toEqual(['name', 'title', 'version']);
  expect(keys(implementationFor('2024-11-05', info))).toEqual(['name', 'version']);
  const capabilities = { completions: {}, tools: {}, 'com.example/c': {} };
  expect(keys(capabilitiesFor('2024-11-05', capabilities))).toEqual(['com.example/c', 'tools']);
});
