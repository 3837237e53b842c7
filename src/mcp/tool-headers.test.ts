import { expect, test } from 'vitest';
import { toolHeaders, valueAt } from './tool-headers.ts';
import type { JsonSchema } from './types.ts';

const text = (name: unknown) => ({ type: 'string', 'x-mcp-header': name });
const withProperties = (properties: Record<string, unknown>) => ({ type: 'object', properties }) as JsonSchema;

test('finds headers along chains of properties, which may have any name', () => {
  const schema = withProperties({
    region: text('Region'),
    place: withProperties({ count: { type: 'integer', 'x-mcp-header': 'Count' } }),
    'x-mcp-header': { type: 'string' },
    free: { type: 'number', default: { 'x-mcp-header': 'no schema' } },
  });
  const found = [
    { name: 'Region', path: ['region'] },
    { name: 'Count', path: ['place', 'count'] },
  ];
  expect(toolHeaders(schema)).toEqual(expect.arrayContaining(found));
  expect(toolHeaders(schema)).toHaveLength(2);
  expect(toolHeaders(undefined)).toEqual([]);
});

test.each([
  ['an empty name', withProperties({ a: text('') })],
  ['no text', withProperties({ a: text(1) })],
  ['a name with a space', withProperties({ a: text('My Region') })],
  ['a name with a line break', withProperties({ a: text('a\r\nb') })],
  ['a type that is not allowed', withProperties({ a: { type: 'number', 'x-mcp-header': 'A' } })],
  ['no type', withProperties({ a: { 'x-mcp-header': 'A' } })],
  ['two that differ in case only', withProperties({ a: text('A'), b: text('a') })],
  ['one at the root', { ...text('A') } as JsonSchema],
  ['one in items', withProperties({ a: { type: 'array', items: text('A') } })],
  ['one in an alternative', withProperties({ a: { anyOf: [text('A')] } })],
  ['one below an alternative', withProperties({ a: { oneOf: [withProperties({ b: text('A') })] } })],
  ['one in a definition', { $defs: { a: text('A') } } as JsonSchema],
  ['too many', withProperties(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}`, text(`H${at}`)])))],
])('%s makes the tool invalid, with a reason', (_, schema) => {
  expect(toolHeaders(schema)).toEqual(expect.any(String));
});

test('accepts a schema of any depth', () => {
  let schema: JsonSchema = { ...text('Deep') } as JsonSchema;
  for (let depth = 0; depth < 100_000; depth++) schema = withProperties({ a: schema });
  expect(toolHeaders(schema)).toMatchObject([{ name: 'Deep' }]);
});

test('a header has the text of its argument, and is omitted without the argument', () => {
  const args = { yes: true, none: null, deep: { count: -7 }, text: '' };
  expect(valueAt(args, ['yes'])).toBe('true');
  expect(valueAt(args, ['deep', 'count'])).toBe('-7');
  expect(valueAt(args, ['text'])).toBe('');
  for (const path of [['none'], ['deep'], ['other'], ['text', 'length'], ['constructor']]) {
    expect(valueAt(args, path)).toBeUndefined();
  }
});
