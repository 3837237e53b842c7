import { expect, test } from 'vitest';
import { schemaChanges, strongestEffect } from './schema-change.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const city = { type: 'string', description: 'A city' };
const changes = (before: unknown, after: unknown, side: 'input' | 'output' = 'input') =>
  schemaChanges(before, after, side).map(({ path, effect, text }) => `${effect} ${path}: ${text}`);

test('finds no change in equal schemas, whatever the order of their members', () => {
  expect(changes({ type: 'object', required: ['a', 'b'] }, { required: ['b', 'a'], type: 'object' })).toEqual([]);
  expect(changes(undefined, {})).toEqual([]);
});

test.each([
  ['a text', object({ city }), object({ city: { ...city, description: 'A town' } }), 'wording', 'wording', 'city'],
  ['a default', object({ city }), object({ city: { ...city, default: 'Oslo' } }), 'compatible', 'compatible', 'city'],
  ['a new property', object({}), object({ city }), 'compatible', 'compatible', 'city'],
  ['a new required property', object({}), object({ city }, { required: ['city'] }), 'breaking', 'compatible', 'city'],
  ['a removed property', object({ city }), object({}), 'breaking', 'breaking', 'city'],
  [
    'a property that is now required',
    object({ city }),
    object({ city }, { required: ['city'] }),
    'breaking',
    'compatible',
    'city',
  ],
  [
    'a property that is optional now',
    object({ city }, { required: ['city'] }),
    object({ city }),
    'compatible',
    'breaking',
    'city',
  ],
  ['another type', object({ a: { type: 'string' } }), object({ a: { type: 'number' } }), 'breaking', 'breaking', 'a'],
  ['a further type', { type: 'string' }, { type: ['string', 'null'] }, 'compatible', 'breaking', ''],
  ['a part of a type', { type: 'number' }, { type: 'integer' }, 'breaking', 'compatible', ''],
  ['a removed value', { enum: ['a', 'b'] }, { enum: ['a'] }, 'breaking', 'compatible', ''],
  ['an added value', { enum: ['a'] }, { enum: ['a', 'b'] }, 'compatible', 'breaking', ''],
  ['a const for an enum', { enum: ['a', 'b'] }, { const: 'a' }, 'breaking', 'compatible', ''],
  ['a larger minimum', { minimum: 1 }, { minimum: 2 }, 'breaking', 'compatible', ''],
  ['a larger maximum', { maxLength: 1 }, { maxLength: 2 }, 'compatible', 'breaking', ''],
  ['a new pattern', {}, { pattern: '^a' }, 'breaking', 'compatible', ''],
  ['a removed format', { format: 'date' }, {}, 'compatible', 'breaking', ''],
  ['another pattern', { pattern: '^a' }, { pattern: '^b' }, 'breaking', 'breaking', ''],
  ['no further properties', object({}), object({}, { additionalProperties: false }), 'breaking', 'compatible', ''],
  [
    'a further alternative',
    { anyOf: [{ const: 1 }] },
    { anyOf: [{ const: 1 }, { const: 2 }] },
    'compatible',
    'breaking',
    '',
  ],
  ['an item', { items: { minimum: 1 } }, { items: { minimum: 0 } }, 'compatible', 'breaking', '[]'],
  ['a definition', { $defs: { a: { enum: [1] } } }, { $defs: { a: { enum: [1, 2] } } }, 'compatible', 'breaking', '#a'],
  ['a schema that allows nothing', object({ a: true }), object({ a: false }), 'breaking', 'compatible', 'a'],
] as const)('%s', (_, before, after, input, output, path) => {
  for (const [side, effect] of [
    ['input', input],
    ['output', output],
  ] as const) {
    const found = schemaChanges(before, after, side);
    expect(
      found.map((change) => [change.path, change.effect]),
      side,
    ).toEqual([[path, effect]]);
  }
});

test('names values, bounds and paths', () => {
  expect(
    changes(
      object({ filter: object({ kinds: { type: 'array', items: { enum: ['a', 'b'] } } }), limit: { maximum: 10 } }),
      object({ filter: object({ kinds: { type: 'array', items: { enum: ['b', 'c'] } } }), limit: { maximum: 5 } }),
    ),
  ).toEqual([
    'breaking filter.kinds[]: no longer allows "a" and also allows "c"',
    'breaking limit: has another maximum: 5 instead of 10',
  ]);
});

test('the strongest effect of several changes counts', () => {
  expect(strongestEffect([])).toBeUndefined();
  expect(strongestEffect(schemaChanges(object({ a: city }), object({ b: city }), 'input'))).toBe('breaking');
});

test('schemas of any depth and size are compared within limits', () => {
  let [one, other]: object[] = [{ const: 1 }, { const: 2 }];
  for (let level = 0; level < 500; level++) [one, other] = [{ items: one }, { items: other }];
  expect(changes(one, other)[0]).toMatch(/nested too deeply/);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, {}]));
  expect(changes(object({}), object(many))).toHaveLength(1000);
});

test('a property named __proto__ is an ordinary one', () => {
  const with_ = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  expect(changes({ properties: {} }, with_)).toEqual(['compatible __proto__: was added']);
});
