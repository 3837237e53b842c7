// Schemas that try to block the command line: each is read quickly, and unknown parts are left to the server.

import { describe, expect, test } from 'vitest';
import { checkArguments, describeParameters } from '../../src/app/cli/values/check.ts';
import { propertySchema } from '../../src/app/cli/values/property-schema.ts';
import { objectSchema, requiredOf } from '../../src/mcp/schema-alternatives.ts';

const number = { type: 'number' };
const withPatterns = (...patterns: string[]) => ({
  type: 'object',
  patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, number])),
  additionalProperties: false,
});

describe('name patterns', () => {
  test.each([
    ['^x-', 'x-rate'],
    ['^[a-z][a-z0-9_]*$', 'retries_2'],
    ['^(min|max)_', 'min_age'],
    ['\\d+$', 'item12'],
    ['^\\(\\)+$', '()))'],
    ['^[)]+$', '))'],
    ['^.*$', 'any name at all, of a length that people type'],
  ])('that are simple are matched: %s', (pattern, name) => {
    expect(propertySchema(withPatterns(pattern), name)).toBe(number);
    expect(propertySchema(withPatterns(pattern), `${name}\n!`) === number).toBe(!pattern.endsWith('$'));
  });

  // A backtracking engine takes practically forever for each of these.
  const slow: [string, string][] = [
    ['^(a+)+$', `${'a'.repeat(50)}!`],
    ['^(a|a)*$', `${'a'.repeat(50)}!`],
    ['^(a|aa)+$', `${'a'.repeat(80)}!`],
    [`^${'a?'.repeat(40)}${'a'.repeat(40)}$`, 'a'.repeat(39)],
    [`^${'a*'.repeat(12)}$`, `${'a'.repeat(200)}!`],
    [`^${'(a|a)'.repeat(40)}$`, `${'a'.repeat(40)}!`],
    [`^${'.*'.repeat(8)}x$`, 'a'.repeat(500)],
    ['^(.*)(.*)(.*)(.*)(.*)\\1x$', 'a'.repeat(500)],
    ['^(?:a{1,50}){1,50}$', `${'a'.repeat(60)}!`],
  ];

  test.each(slow)('name patterns that may not terminate are not matched: %s', (pattern, name) => {
    expect(propertySchema(withPatterns(pattern), name)).toEqual({});
    expect(() => checkArguments({ [name]: 1 }, withPatterns(pattern), 'tool')).not.toThrow();
  });

  test('are matched up to a limit', () => {
    const many = Array.from({ length: 100_000 }, (_, n) => `^[a-z]*-${n}$`);
    expect(propertySchema(withPatterns(...many), 'a'.repeat(60))).toEqual({});
  });

  test('invalid name patterns are ignored', () => {
    expect(propertySchema(withPatterns('(', '^ok$'), 'ok')).toBe(number);
    expect(propertySchema(withPatterns('('), 'ok')).toBeUndefined();
  });
});

describe('a schema that grows when it is expanded is bounded', () => {
  const names = Array.from({ length: 20_000 }, (_, n) => `name${n}`);
  const properties = Object.fromEntries(names.map((name) => [name, {}]));

  test('with a thousand parts that each require everything', () => {
    const root = {
      $defs: { all: { type: 'object', properties, required: names } },
      allOf: Array.from({ length: 900 }, () => ({ $ref: '#/$defs/all' })),
    };
    expect(requiredOf(objectSchema(root, root)).length).toBeLessThan(400_000);
    expect(() => checkArguments({ stranger: 1, ...properties }, root, 'tool')).not.toThrow();
  });

  test('with a thousand choices beside everything', () => {
    const root = {
      type: 'object',
      properties,
      anyOf: Array.from({ length: 900 }, (_, n) => ({ properties: { [`x${n}`]: {} } })),
    };
    expect(describeParameters(root)).toContain('name1');
  });

  test('with 100,000 keywords that are repeated in each of its choices', () => {
    const keywords = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`x-${n}`, n]));
    const root = { ...keywords, anyOf: Array.from({ length: 30 }, () => ({ $ref: '#' })) };
    expect(describeParameters(root)).toBeTypeOf('string');
  });
});
