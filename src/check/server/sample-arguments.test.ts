import { expect, test } from 'vitest';
import { acceptedArguments } from './sample-arguments.ts';

const order = { type: 'string', enum: ['asc', 'desc'] };
const of = (t: object, rest: object = {}) => ({ type: 'object', properties: { t }, required: ['t'], ...rest });
const draft04 = { $schema: 'http://json-schema.org/draft-04/schema#' };
const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

test.each([
  ['a reference to $defs', of({ $ref: '#/$defs/T' }, { $defs: { T: order } }), 'asc'],
  ['a reference to definitions', of({ $ref: '#/definitions/T' }, { definitions: { T: order } }), 'asc'],
  ['a reference in draft-07', of({ $ref: '#/definitions/T' }, { definitions: { T: order }, ...draft07 }), 'asc'],
  ['allOf with a reference', of({ allOf: [{ $ref: '#/$defs/T' }] }, { $defs: { T: order } }), 'asc'],
  ['anyOf with a reference', of({ anyOf: [{ $ref: '#/$defs/T' }, { type: 'null' }] }, { $defs: { T: order } }), 'asc'],
  ['a default beside a reference', of({ $ref: '#/$defs/T', default: 'desc' }, { $defs: { T: order } }), 'desc'],
  [
    'a reference to another property',
    of({ $ref: '#/properties/s' }, { properties: { s: order, t: { $ref: '#/properties/s' } } }),
    'asc',
  ],
  ['a wrong default', of({ type: 'integer', default: 'none', minimum: 3, enum: [3] }), 3],
  ['a wrong first alternative', of({ anyOf: [{ type: 'string' }, { type: 'number' }], not: { type: 'string' } }), 1],
  ['an exclusive limit of draft-04', of({ type: 'number', minimum: 0, exclusiveMinimum: true }, draft04), 1],
  ['an exclusive limit', of({ type: 'integer', exclusiveMinimum: 4, multipleOf: 3 }), 6],
  ['limits', of({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }), 0.5],
  ['a longest string', of({ type: 'string', format: 'uri', maxLength: 3 }), 'htt'],
  ['a pattern', of({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), '2024-02-29'],
  ['a date', of({ type: 'string', format: 'date' }), '2024-02-29'],
])('finds %s', async (_, schema, value) => {
  expect(await acceptedArguments(schema)).toEqual({ t: value });
});

test.each([
  ['a pattern without a known sample', of({ type: 'string', pattern: '^Zürich-\\d+$' })],
  ['an invalid schema', of({ type: 'str' })],
  ['a reference to another document', of({ $ref: 'https://example.com/order.json' })],
  ['a schema that accepts nothing', { type: 'object', not: {} }],
  ['a schema of arrays', { type: 'array' }],
])('finds no arguments for %s', async (_, schema) => {
  expect(await acceptedArguments(schema)).toBeUndefined();
});

test('ends at references that repeat themselves', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `m${at}`);
  const node = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])) };
  expect(await acceptedArguments({ ...node, required: names })).toBeUndefined();
  expect(await acceptedArguments(node)).toEqual({});
});

test('calls a tool without a schema, or without required arguments, without arguments', async () => {
  expect(await acceptedArguments(undefined)).toEqual({});
  expect(await acceptedArguments({ type: 'object', properties: { a: order } })).toEqual({});
});
