import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { toResponse } from './call-result.ts';
import { parseValue, printValue, type ValueOf } from './values.ts';

describe('converts text to a value of its type', () => {
  test.each([
    ['number', '2', 2],
    ['Number', ' -2.5e3 ', -2500],
    ['float', '.5', 0.5],
    ['int', '+7', 7],
    ['integer', '1e3', 1000],
    ['boolean', 'True', true],
    ['bool', 'false', false],
    ['object', '{"a":[1]}', { a: [1] }],
    ['array', '[1,"2"]', [1, '2']],
    ['json', 'null', null],
    ['string', '2', '2'],
    ['ISO date', '2024-05-01', '2024-05-01'],
    ['constructor', 'x', 'x'],
    ['', '', ''],
  ])('%s %j', (type, text, value) => {
    expect(parseValue(type, text)).toEqual(value);
  });
});

describe('refuses invalid text with a reason', () => {
  test.each([
    ['number', 'two', '"two" is not a number'],
    ['number', '', '"" is not a number'],
    ['number', '0x10', '"0x10" is not a number'],
    ['number', 'Infinity', '"Infinity" is not a number'],
    ['number', '1e999', '"1e999" is not a number'],
    ['int', '1.5', '"1.5" is not an integer'],
    ['int', '9007199254740993', 'is too large to be exact'],
    ['bool', '1', '"1" is neither true nor false'],
    ['object', '[]', '"[]" is not a JSON object'],
    ['object', 'null', '"null" is not a JSON object'],
    ['array', '{}', '"{}" is not a JSON array'],
    ['json', '{', '"{" is not JSON: '],
    ['number', 'x'.repeat(100), `"${'x'.repeat(60)}…" is not a number`],
  ])('%s %j', (type, text, message) => {
    expect(() => parseValue(type, text)).toThrow(message);
  });
});

test('parsing a printed value returns an equal value', () => {
  const value = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(value, (original) => {
      const { type, data } = printValue(original);
      // -0 is written as 0, as JSON does.
      expect(parseValue(type, data)).toEqual(JSON.parse(JSON.stringify(original)));
    }),
    { numRuns: 500 },
  );
});

test('finds types in their textual form', () => {
  expectTypeOf<ValueOf<'Number'>>().toEqualTypeOf<number>();
  expectTypeOf<ValueOf<'int'>>().toEqualTypeOf<number>();
  expectTypeOf<ValueOf<'bool'>>().toEqualTypeOf<boolean>();
  expectTypeOf<ValueOf<'city name'>>().toEqualTypeOf<string>();
  expectTypeOf<ValueOf<'list'>>().toEqualTypeOf<unknown[]>();
  expectTypeOf<ValueOf<string>>().toEqualTypeOf<unknown>();
});

describe('return values of a handler', () => {
  const content = (...contents: [string, string][]) => contents.map(([type, data]) => ({ type, data }));
  test.each([
    ['five', content(['string', 'five'])],
    [5, content(['number', '5'])],
    [5n, content(['integer', '5'])],
    [true, content(['boolean', 'true'])],
    [{ a: 1 }, content(['object', '{"a":1}'])],
    [[1, 2], content(['array', '[1,2]'])],
    [[], content(['array', '[]'])],
    [undefined, []],
    [null, []],
    [content(['a', 'x'], ['b', 'y']), content(['a', 'x'], ['b', 'y'])],
    [[{ type: 'number', data: 5 }], content(['number', '5'])],
    [[{ type: 'a', data: 'x', id: 1 }], content(['array', '[{"type":"a","data":"x","id":1}]'])],
  ])('%s becomes content', (result, expected) => {
    expect(toResponse(result)).toEqual({ content: expected, error: false });
  });
  test('return values that are a whole response are used unchanged, so that an error can have contents', () => {
    const response = { content: content(['a', 'x'], ['b', 'y']), error: true };
    expect(toResponse(response)).toEqual(response);
  });
  test('return values without a text form are refused', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => toResponse(circle)).toThrow('Cannot be serialized as JSON');
    expect(() => toResponse(() => 1)).toThrow('Cannot be serialized as JSON: function');
  });
});
