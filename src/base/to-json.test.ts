import { expect, test } from 'vitest';
import { MAX_NESTING, requireJson, toJson } from './to-json.ts';

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const refusal = { name: 'UsageError', code: 'MESSAGE_NOT_SERIALIZABLE' };

test('writes a value like JSON.stringify', () => {
  const values = [
    null,
    0,
    'x',
    [1, undefined, 2],
    { a: undefined, b: new Date(0) },
    nested(MAX_NESTING),
    'x'.repeat(5_000),
  ];
  for (const value of values) expect(toJson(value)).toBe(JSON.stringify(value));
});

test('refuses nesting beyond the limit, whether or not this version of Node.js could write it', () => {
  const levels = [MAX_NESTING + 1, 3_000, 5_000, 100_000];
  for (const value of [...levels.map(nested), { a: 1, b: [nested(2_000)] }]) {
    const message = 'Nested too deeply: the limit is 1,000 levels';
    expect(toJson(value)).toMatchObject({ ...refusal, message });
  }
});

test('refuses a value that JSON cannot represent, with the reason', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  expect(toJson(circle)).toMatchObject({ ...refusal, message: expect.stringContaining('circular') });
  expect(toJson(1n)).toMatchObject({ ...refusal, message: expect.stringContaining('BigInt') });
  expect(toJson(undefined)).toMatchObject({ ...refusal, message: 'Cannot be serialized as JSON: undefined' });
  expect(() => requireJson(Symbol('x'))).toThrow('Cannot be serialized as JSON: symbol');
});
