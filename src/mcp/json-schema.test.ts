import { expect, test } from 'vitest';
import { compileJsonSchema } from './json-schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

test.each([undefined, DRAFT_07])('treats two schemas with one $id as different (dialect: %s)', async ($schema) => {
  const dialect = $schema === undefined ? {} : { $schema };
  const one = await compileJsonSchema({ ...dialect, $id: 'https://example.com/a', type: 'string' });
  const other = await compileJsonSchema({ ...dialect, $id: 'https://example.com/a', type: 'number' });
  expect([one('x'), one(1), other('x'), other(1)]).toEqual([
    undefined,
    'value must be string, not 1',
    'value must be number, not "x"',
    undefined,
  ]);
});

test.each([undefined, DRAFT_07])('refuses an invalid schema with the reason (dialect: %s)', async ($schema) => {
  const wrong = { ...($schema && { $schema }), type: 'object', properties: ['a'] };
  await expect(compileJsonSchema(wrong as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('schema is invalid: data/properties must be object'),
  });
});

// With two references to the whole schema, the time doubles with each level of the value.
test.each(['$ref', '$dynamicRef', '$recursiveRef'])(
  'limits a schema of another program that repeats itself with %s',
  async (key) => {
    const again = { properties: { a: { [key]: '#' } } };
    let runs = 0;
    const check = await compileJsonSchema({ type: 'object', anyOf: [again, again] }, (run) => {
      runs++;
      return run();
    });
    expect(check({ a: { a: 'x' } })).toBe('a.a must be object, not "x"');
    expect(runs).toBe(2);
  },
);
