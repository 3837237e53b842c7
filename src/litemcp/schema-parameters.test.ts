import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../mcp/types.ts';
import { parametersOf, readArguments } from './from-mcp.ts';

const root = (properties: Record<string, unknown>, required: string[] = [], rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required,
  ...rest,
});
const one = (schema: unknown, required = true, rest: JsonSchema = {}) =>
  parametersOf(root({ x: schema }, required ? ['x'] : [], rest))[0]!;

test('lists required parameters first, in their order, and then the others in the order of the schema', () => {
  const properties = { d: {}, a: {}, c: {}, b: {} };
  expect(parametersOf(root(properties, ['b', 'a', 'z'])).map(({ name }) => name)).toEqual(['b', 'a', 'z', 'd', 'c']);
  expect(parametersOf({ type: 'object' })).toEqual([]);
  expect(parametersOf({ type: 'object', required: 'x', properties: [] })).toEqual([]);
});

describe('the type', () => {
  test.each<[unknown, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'integer'],
    [{ type: ['number', 'null'] }, 'number?'],
    [{ type: ['string', 'null'] }, 'string'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ type: ['string', 'number'] }, 'any'],
    [{ anyOf: [{ type: 'array', items: {} }, { type: 'null' }] }, 'array?'],
    [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'string'],
    [{ enum: ['a', 'b'] }, 'string'],
    [{ enum: [1, 2] }, 'number'],
    [{ enum: [1, 'a'] }, 'any'],
    [{ allOf: [{ description: 'x' }, { type: 'boolean' }] }, 'boolean'],
    [{ properties: {} }, 'object'],
    [{ items: {} }, 'array'],
    [{ $ref: '#/$defs/Unit' }, 'string'],
    [{ $ref: '#/$defs/a~1b' }, 'boolean'],
    [{ $ref: '#/%24defs/a%7E1b' }, 'boolean'],
    [{ $ref: '#/$defs/100%' }, 'any'],
    [{ $ref: '#/$defs/Circle' }, 'any'],
    [{ $ref: '#/$defs/Nothing' }, 'any'],
    [{ $ref: 'https://example.com/schema' }, 'any'],
    [{ type: 'null' }, 'any?'],
    [{}, 'any'],
    [true, 'any'],
  ])('of %j is %j', (schema, type) => {
    const $defs = {
      Unit: { enum: ['C', 'F'] },
      'a/b': { type: 'boolean' },
      Circle: { $ref: '#/$defs/Circle' },
    };
    expect(one(schema, true, { $defs }).type).toBe(type);
  });
  test('the type of an optional parameter ends with a question mark', () => {
    expect(one({ type: 'string' }, false).type).toBe('string?');
    expect(one({}, false).type).toBe('any?');
  });
});

describe('the texts of a parameter', () => {
  test('include facts for which LiteMCP has no field', () => {
    const schema = { type: 'string', description: 'The unit', enum: ['C', 'F'], default: 'C' };
    expect(one(schema, false)).toMatchObject({
      description: 'The unit (one of: "C", "F") (default: "C") (an empty string leaves it out)',
      example: 'C',
    });
    expect(one({ anyOf: [{ type: 'number' }, { type: 'null' }] }).description).toBe('(an empty string is null)');
    expect(one({ type: 'string' })).not.toHaveProperty('description');
    expect(one({ type: 'string', title: 'City' }).description).toBe('City');
  });
  test('have the example as text, if there is one', () => {
    expect(one({ type: 'object', examples: [{ a: 1 }] }).example).toBe('{"a":1}');
    expect(one({ type: 'number', examples: [0], default: 5 }).example).toBe('0');
    expect(one({ type: 'string', default: null })).not.toHaveProperty('example');
  });
});

describe('a text value', () => {
  test.each<[unknown, string, unknown]>([
    [{ type: 'string' }, '', ''],
    [{ type: 'string' }, '5', '5'],
    [{ type: 'number' }, '5', 5],
    [{ type: 'boolean' }, 'True', true],
    [{ type: 'object' }, '{"a":"5"}', { a: '5' }],
    [{ type: 'array' }, '[1]', [1]],
    [{}, '5', 5],
    [{}, 'null', null],
    [{}, '"5"', '5'],
    [{}, 'five', 'five'],
    [{}, '', ''],
    [{ type: ['number', 'null'] }, '', null],
  ])('with %j: %j is %j', (schema, text, value) => {
    expect(readArguments([one(schema)], [text])).toEqual({ arguments: { x: value } });
  });
  test('an empty text omits an optional argument of any type', () => {
    const parameters = parametersOf(root({ a: { type: 'string' }, b: { type: 'number' }, c: {}, d: { type: 'null' } }));
    expect(readArguments(parameters, ['', '', '', ''])).toEqual({ arguments: {} });
    expect(readArguments(parameters, ['x', '0', 'y', ''])).toEqual({ arguments: { a: 'x', b: 0, c: 'y' } });
  });
  test('an invalid text is refused with the name of its parameter', () => {
    const parameters = parametersOf(root({ n: { type: 'integer' } }));
    expect(readArguments(parameters, ['1.5'])).toEqual({
      problem: 'The argument "n" does not fit: "1.5" is not an integer',
    });
  });
  test('may belong to any name', () => {
    const parameters = parametersOf(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'));
    const read = readArguments(parameters, ['x']) as { arguments: object };
    expect(Object.entries(read.arguments)).toEqual([['__proto__', 'x']]);
  });
});

test('limits the texts of a call to a million JSON values in total', () => {
  const half = `[${'0,'.repeat(499_999)}0]`;
  const parameters = parametersOf(root({ list: { type: 'array' }, any: {}, text: { type: 'string' } }));
  expect(readArguments(parameters, [half, `"${half}`, half])).toMatchObject({ arguments: { text: half } });
  expect(readArguments(parameters, [half, half, ''])).toEqual({
    problem: expect.stringMatching(/The argument "any" does not fit: .* exceeds the limit of 1000000 JSON values/),
  });
});
