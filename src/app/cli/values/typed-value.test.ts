import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../mcp/types.ts';
import { describeParameters } from './check.ts';
import { describeType, TypeMismatch, typedValue } from './typed-value.ts';

const refused = Symbol('refused');
const read = (text: string, schema: unknown, root = {}) => {
  try {
    return typedValue(text, schema, root);
  } catch (error) {
    if (error instanceof TypeMismatch) return refused;
    throw error;
  }
};

// The table in docs/cli.md.
const columns = ['5', 'true', 'null', '[1]', 'x'];
const wholeNumbers = { type: 'array', items: { type: 'integer' } };
test.each([
  ['text', { type: 'string' }, ['5', 'true', 'null', '[1]', 'x']],
  ['no particular type', {}, ['5', 'true', 'null', '[1]', 'x']],
  ['a type that does not exist', { type: 'str' }, ['5', 'true', 'null', '[1]', 'x']],
  ['a number', { type: 'number' }, [5, refused, refused, refused, refused]],
  ['an integer', { type: 'integer' }, [5, refused, refused, refused, refused]],
  ['a boolean', { type: 'boolean' }, [refused, true, refused, refused, refused]],
  ['a string or null', { type: ['string', 'null'] }, ['5', 'true', null, '[1]', 'x']],
  ['a string or a number', { anyOf: [{ type: 'string' }, { type: 'number' }] }, [5, 'true', 'null', '[1]', 'x']],
  ['a list of integers', wholeNumbers, [[5], refused, refused, [1], refused]],
  ['a choice', { enum: ['x', 5, null] }, [5, refused, null, refused, 'x']],
])('a schema of %s', (_wanted, schema, expected) => {
  expect(columns.map((text) => read(text, schema))).toEqual(expected);
});

describe('details', () => {
  test.each([
    ['a number with a leading zero is a string', '007', { type: ['string', 'number'] }, '007'],
    ['minus zero, fractions and exponents are numbers', '-0.5e-3', { type: 'number' }, -0.0005],
    ['a fraction is not an integer', '1.5', { type: 'integer' }, refused],
    ['1.0 is an integer', '1.0', { type: 'integer' }, 1],
    ['refuses digits that a double would lose', '9007199254740993', { type: 'integer' }, refused],
    ['hexadecimal is not decimal', '0x10', { type: 'number' }, refused],
    ['an object is JSON', '{"a":1}', { type: 'object' }, { a: 1 }],
    ['a list is not an object', '[1]', { type: 'object' }, refused],
    ['a constant', 'on', { const: 'on' }, 'on'],
    ['an empty text is a string', '', { type: 'string' }, ''],
    ['an empty text is not a number', '', { type: 'number' }, refused],
  ])('%s', (_what, text, schema, expected) => {
    expect(read(text, schema)).toEqual(expected);
  });

  test('follows references, and ignores circular and unresolved ones', () => {
    const root = { $defs: { n: { type: 'number' }, loop: { $ref: '#/$defs/loop' } } };
    expect(read('5', { $ref: '#/$defs/n' }, root)).toBe(5);
    expect(read('5', { $ref: '#/$defs/loop' }, root)).toBe('5');
    expect(read('5', { $ref: '#/$defs/none' }, root)).toBe('5');
    expect(read('5', { $ref: 'https://example.com/schema.json' }, root)).toBe('5');
  });

  test.each([null, 5, 'x', [], true, { type: 5 }, { anyOf: [] }, { anyOf: 5 }, { allOf: [null] }, { enum: {} }])(
    'an invalid schema has no effect: %j',
    (schema) => {
      expect([5, '5', refused]).toContain(read('5', schema));
      expect(describeType(schema, {})).toEqual(expect.any(String));
    },
  );
});

test('describes parameters in one line', () => {
  expect(
    describeParameters({
      type: 'object',
      properties: { a: { type: 'number' }, mode: { enum: ['fast', 'slow'] }, tags: wholeNumbers },
      required: ['a'],
    }),
  ).toBe('a=<number> [mode=<one of: fast, slow>] [tags=<array of integer>]');
});

test.each<[JsonSchema, string]>([
  [{ type: 'object' }, 'any'],
  [{ type: 'object', properties: {} }, 'any'],
  [{ type: 'object', additionalProperties: true }, 'any'],
  [{ type: 'object', properties: {}, additionalProperties: false }, 'nothing'],
])('describes %j: %s', (schema, expected) => {
  expect(describeParameters(schema)).toBe(expected);
});
