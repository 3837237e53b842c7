import { expect, test } from 'vitest';
import { schemaProblem } from './json-schemas.ts';

const tuple = { type: 'object', properties: { pair: { type: 'array', items: [{ type: 'string' }] } } };
const unresolved = { type: 'object', properties: { a: { $ref: '#/$defs/missing' } } };
const remote = { type: 'object', properties: { a: { $ref: 'https://example.com/schema.json' } } };

test('requires a 2020-12 schema since 2025-11-25, and accepts any dialect before', async () => {
  expect(await schemaProblem(tuple, '2025-11-25')).toBeDefined();
  expect(await schemaProblem(tuple, '2025-06-18')).toBeUndefined();
  const named = { ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(await schemaProblem(named, '2026-07-28')).toBeUndefined();
});

test('requires references within the schema to resolve, and ignores references to the network', async () => {
  expect(await schemaProblem(unresolved, '2025-11-25')).toContain('missing');
  expect(await schemaProblem(remote, '2025-11-25')).toBeUndefined();
});

test('does not judge an unknown dialect', async () => {
  const schema = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', required: 'all' };
  expect(await schemaProblem(schema, '2025-11-25')).toBeUndefined();
});
