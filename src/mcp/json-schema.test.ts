import { expect, test } from 'vitest';
import { compileJsonSchema } from './json-schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

test.each([undefined, DRAFT_07])('two schemas with one $id are two schemas (dialect: %s)', async ($schema) => {
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

test.each([undefined, DRAFT_07])('a schema that is none is refused with its fault (dialect: %s)', async ($schema) => {
  const wrong = { ...($schema && { $schema }), type: 'object', properties: ['a'] };
  await expect(compileJsonSchema(wrong as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('schema is invalid: data/properties must be object'),
  });
});

// With two references to the whole schema, the time doubles with each level of the value.
test.each(['$ref', '$dynamicRef', '$recursiveRef'])(
  'a schema of others that repeats itself by %s is bounded',
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
